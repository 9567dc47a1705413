// What every project of the table in the README does with the package.

const clock = () => new Date("2026-05-14T08:00:00Z");
const headers = { "HTTP-X-USERNAME": "demo", "HTTP-X-PASSWORD": "demo" };
const target = "/api/v1/adminplus/learnerabsentees/1000?learner_id=1&from_date=2026-05-01";

function check(isTrue, what) {
  if (!isTrue) throw new Error(`journey: ${what}`);
}

/**
 * Opens a store, or one in memory without a name, and fills it with a dataset, which a function
 * returns. Returns the steps that succeeded, as text.
 */
export async function journey(Rollbook, dataset, store) {
  const engine = await (store ? Rollbook.open(store, { clock }) : Rollbook.memory({ clock }));
  const steps = ["opens"];
  const before = await engine.stats();
  if (before.records.learner === 0) await engine.apply(await dataset());
  else steps.push("persists");

  const answer = await engine.request(target, { headers });
  const [{ absent_reason: reason }] = answer.json();
  check(answer.status === 200 && reason === "Illness", answer.text());
  const response = await engine.fetch(`https://integrate.example.org${target}`, { headers });
  check((await response.text()) === answer.text(), "fetch has another answer");
  const learners = await engine.ask("learners", { school: 1000, name: "zoe" });
  check(learners.json()[0].first_name === "Zoë", learners.text());
  const refused = await engine.apply("no dataset").catch(({ code }) => code);
  check(refused === "bad_dataset", refused);
  steps.push("answers");

  const query = engine.observe("absentees", { school: 1000, learnerId: 1 });
  const count = async () => (await query.next()).value.json().length;
  const first = await count();
  const id = 900_000 + before.records.absentee;
  const absentee = { type: "absentee", school_id: 1000, id, learner_id: 1, absent_date: "2026-05-05" };
  await engine.apply(JSON.stringify(absentee));
  check((await count()) === first + 1, "the live query has no new answer");
  await query.return();
  steps.push("observes");

  await engine.close();
  return steps.join(" ");
}

/** Fills a school from an engine that replaces the service. */
async function fill(Rollbook, syncWith, dataset) {
  const [service, mirror] = [await Rollbook.memory({ clock }), await Rollbook.memory({ clock })];
  await service.apply(await dataset());
  const sync = await mirror.sync(1000);
  await syncWith(sync, "https://integrate.example.org", { headers, fetch: service.fetch });
  const learners = await mirror.ask("learners", { school: 1000, name: "zoe" });
  check(learners.json()[0].first_name === "Zoë", learners.text());
  return "fills";
}

/** Does the same in a page, with a store and in memory, and shows the steps. */
export async function show(Rollbook, syncWith) {
  const dataset = () => fetch("sample-school.ndjson");
  const all = async () => {
    const steps = [await journey(Rollbook, dataset, "school"), await journey(Rollbook, dataset)];
    if (syncWith) steps.push(await fill(Rollbook, syncWith, dataset));
    return steps.join(", ");
  };
  document.querySelector("pre").textContent = await all().catch(String);
}
