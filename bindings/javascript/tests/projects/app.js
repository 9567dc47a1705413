// The app of every project. It stores a school on this device, and asks questions about it.

const headers = { "HTTP-X-USERNAME": "demo", "HTTP-X-PASSWORD": "demo" };
const clock = () => new Date("2026-05-14T08:00:00Z");

async function visit(where, engine, dataset) {
  const { records } = await engine.stats();
  const { total } = await engine.apply(await dataset());
  const target = "/api/v1/adminplus/learnerabsentees/1000?learner_id=1&from_date=2026-05-01";
  const answer = await engine.request(target, { headers });
  const found = await engine.ask("learners", { school: 1000, name: "zoe" });
  return [
    `${where}: ${records.learner} learners before, ${total.added} added, ${total.unchanged} known`,
    `${answer.status} ${answer.text()}`,
    found.json().map((learner) => `${learner.first_name} ${learner.last_name}`),
  ].join("\n");
}

/** Runs a visit, and returns its output. The store remains open, as in a real app. */
export async function run(Rollbook, store, dataset) {
  const persistent = await visit("persistent", await Rollbook.open(store, { clock }), dataset);
  const passing = await Rollbook.memory({ clock });
  const text = `${persistent}\n${await visit("in memory", passing, dataset)}\n`;
  await passing.close();
  return text;
}

/** Fills a school from an engine that replaces the service, and asks the mirror about it. */
async function fill(Rollbook, syncWith) {
  const [service, mirror] = [await Rollbook.memory({ clock }), await Rollbook.memory({ clock })];
  await service.apply(await fetch("sample-school.ndjson"));
  const sync = await mirror.sync(1000);
  await syncWith(sync, "https://integrate.example.org", { headers, fetch: service.fetch });
  const found = await mirror.ask("learners", { school: 1000, name: "zoe" });
  return `filled: ${found.json()[0].first_name}\n`;
}

/** Runs a visit in a page, and shows its output. */
export async function show(Rollbook, syncWith) {
  const dataset = () => fetch("sample-school.ndjson");
  const shown = async () =>
    (await run(Rollbook, "school", dataset)) + (syncWith ? await fill(Rollbook, syncWith) : "");
  document.querySelector("pre").textContent = await shown().catch(String);
}
