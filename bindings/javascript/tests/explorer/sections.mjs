// Tests the content and the functions of each section.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  NOW,
  answered,
  browser,
  cells,
  folder,
  loadSample,
  markRows,
  oracle,
  page,
  region,
  rowsOf,
  sample,
  send,
  shows,
  target,
  visit,
  watch,
} from "./session.mjs";

test("an empty store says what to do", async () => {
  await page.getByText("Nothing yet: load a dataset, or the sample school.").waitFor();
  await page.getByRole("link", { name: "Learners" }).click();
  const alert = page.getByRole("alert").filter({ visible: true });
  assert.match(await alert.textContent(), /no school yet.*Load a dataset or the sample/);
  await page.getByRole("link", { name: "Data" }).click();
});

test("the sample school loads, and its progress is seen", async () => {
  await page.evaluate(() => {
    globalThis.seen = [];
    const bar = document.querySelector("progress");
    new MutationObserver(() => {
      const { textContent } = bar.parentElement.querySelector("p");
      if (bar.hasAttribute("value")) seen.push([bar.value, bar.max, textContent]);
    }).observe(bar, { attributes: true });
  });
  await loadSample(page);
  const seen = await page.evaluate(() => globalThis.seen);
  assert.ok(seen.length >= 8, `${seen.length} steps`);
  assert.ok(seen.every(([, max]) => max === sample.length));
  assert.ok(seen[0][0] < sample.length / 2, `${seen[0][0]} at first`);
  assert.ok(seen.every(([value], step) => step === 0 || value >= seen[step - 1][0]));
  const size = (sample.length / 1e6).toFixed(1);
  assert.match(seen[4][2], new RegExp(`^[\\d.]+ MB of ${size} MB, [\\d,]+ lines$`));
  assert.equal(await page.getByRole("progressbar").isVisible(), false);
  const { records, bytes } = await oracle.stats();
  const kinds = Object.entries(records).filter(([, amount]) => amount > 0);
  await shows(
    () => rowsOf(page.getByRole("table")),
    kinds.map(([kind, amount]) => [kind.replaceAll("_", " "), amount.toLocaleString("en")]),
  );
  assert.ok(bytes > 0);
  assert.match(page.url(), /now=2026-05-14/, "the clock is set to an instant at which the sample has marks");
});

test("schools and clients are those of the integrator", async () => {
  await page.getByRole("link", { name: "Schools" }).click();
  await page.getByText("1 school", { exact: true }).waitFor();
  const [school] = (await oracle.ask("schools", { username: "demo" })).json();
  await shows(
    () => rowsOf(page.getByRole("table", { name: "Schools of demo" })),
    [
      [
        school.school_name,
        school.school_id,
        `${school.lowest_grade}–${school.highest_grade}`,
        school.town,
        school.province,
        school.ownership_type,
        school.telephone_number,
        school.admin_email_address,
      ],
    ],
  );
  await page.getByRole("link", { name: "Clients" }).click();
  await page.getByText("4 client integrations").waitFor();
  const clients = (await oracle.ask("clients", { username: "demo" })).json();
  await shows(
    () => rowsOf(page.getByRole("table", { name: "Clients of demo" })),
    clients.map((client) => [
      client.school_name,
      client.school_login_id,
      client.api_type,
      String(client.api_type_id),
      client.activated_by_integrator,
    ]),
  );
});

test("learners are found while the user types, and by status and grade", async () => {
  await page.getByRole("link", { name: "Learners" }).click();
  const table = page.getByRole("table").filter({ visible: true });
  const ids = async () => (await rowsOf(table)).map((row) => row.at(-1));
  const all = await answered("learners", {});
  await page.getByText(`${all.length} learners, 1 to 50 shown`).waitFor();
  await shows(ids, all.slice(0, 50).map(({ id }) => id));
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByText(`${all.length} learners, 51 to ${all.length} shown`).waitFor();
  await shows(ids, all.slice(50).map(({ id }) => id));

  const search = page.getByRole("searchbox", { name: "Name" });
  for (const [typed, name] of [["t", "t"], ["s", "ts"], ["e", "tse"], ["p", "tsep"]]) {
    await search.press(typed);
    const found = await answered("learners", { name });
    await page.getByText(new RegExp(`^${found.length} learners?($|, 1)`)).waitFor();
    await shows(ids, found.slice(0, 50).map(({ id }) => id));
    assert.ok(found.length > 0 && found.length < all.length);
  }
  await search.fill("nobody at all");
  await page.getByText("0 learners", { exact: true }).waitFor();
  await search.fill("");

  const { grade_id, grade } = all[0];
  await page.getByLabel("Grade", { exact: true }).selectOption({ label: `Grade ${grade}` });
  const ofGrade = await answered("learners", { gradeIds: [grade_id] });
  await page.getByText(`${ofGrade.length} learners`, { exact: true }).waitFor();
  await shows(ids, ofGrade.map(({ id }) => id));
  await page.getByLabel("Grade", { exact: true }).selectOption("All");

  await page.getByLabel("Status").selectOption("On the waiting list");
  const waiting = await answered("learners", { status: "waitlist" });
  await page.getByText(`${waiting.length} learners`, { exact: true }).waitFor();
  await shows(ids, waiting.map(({ id }) => id));

  await page.getByLabel("Status").selectOption("Left");
  await page.getByLabel("Left since").fill("2024-01-01");
  const alert = page.getByRole("alert").filter({ visible: true });
  assert.match(await alert.textContent(), /400 Bad Request: since to until must not exceed 1 year/);
  const left = await answered("learners", { status: "left", since: "2025-06-01" });
  await page.getByLabel("Left since").fill("2025-06-01");
  await page.getByText(new RegExp(`^${left.length} learners?$`)).waitFor();
  await shows(ids, left.map(({ id }) => id));
});

test("a learner's sections show what the engine answers", async () => {
  const learnerId = 5;
  await visit(page, "learners/1000");
  const [learner] = await answered("learners", { learnerId, includeParents: true });
  const { first_name, last_name, parents } = learner;
  await page.getByRole("searchbox", { name: "Name" }).fill(`${first_name} ${last_name}`);
  await page.getByRole("link", { name: `${last_name}, ${first_name}` }).click();
  await page.getByRole("heading", { level: 1, name: `${first_name} ${last_name}` }).waitFor();

  const details = region("Details").locator("dd");
  const { id, grade, register_class_name, date_of_birth } = learner;
  const expected = [id, `Grade ${grade}`, register_class_name, date_of_birth];
  await shows(async () => (await details.allTextContents()).slice(0, 4), expected);
  assert.ok((await details.allTextContents()).includes(learner.email_address));

  await shows(
    () => region("Parents").getByRole("heading", { level: 3 }).allTextContents(),
    parents.map(({ title, first_name, last_name }) => `${title} ${first_name} ${last_name}`),
  );
  const texts = await region("Parents").locator("dd").allTextContents();
  for (const { id, email_address, occupation } of parents) {
    for (const text of [id, email_address, occupation]) {
      assert.ok(text === "" || texts.includes(text), text);
    }
  }

  const marks = await answered("subjectMarks", { learnerId });
  await shows(
    () => rowsOf(region("Subject marks").getByRole("table")),
    marks.map(({ subject_name, terms }) => [subject_name, ...terms.map(({ mark }) => mark)]),
  );

  const subjects = await answered("subjectsPerTerm", { learnerId });
  const place = (term) => `${term.subject_group_name}, ${term.classroom_name}`;
  await shows(
    () => rowsOf(region("Subjects by term").getByRole("table")),
    subjects.map(({ subject_name, terms }) => [subject_name, ...terms.map(place)]),
  );

  const assessments = region("Assessment marks");
  const rows = markRows(await answered("assessmentMarks", { learnerId }));
  await shows(() => rowsOf(assessments.getByRole("table").first()), rows);
  const all = markRows(await answered("assessmentMarks", { learnerId, structure: true }));
  const marked = rows.filter((row) => row.length > 1).length;
  const unmarked = all.filter((row) => row.length > 1).length - marked;
  await assessments
    .getByText(`${marked} marks released, ${unmarked} assessments not released yet`)
    .waitFor();

  await region("Absences").getByLabel("From").fill("2026-01-14");
  await region("Absences").getByLabel("To").fill("2026-05-14");
  await region("Absences").getByText(/must not exceed 31 days/).waitFor();
});

test("absences are those of the days", async () => {
  const absences = sample
    .toString()
    .split("\n")
    .filter((line) => line.includes('"type":"absentee"'))
    .map((line) => JSON.parse(line));
  const { learner_id: learnerId, absent_date: day } = absences.find(
    ({ absent_reason }) => absent_reason !== undefined,
  );
  const asked = { learnerId, fromDate: day, toDate: day };
  await visit(page, `learner/1000/${learnerId}?absentFrom=${day}&absentTo=${day}`);
  const found = await answered("absentees", asked);
  assert.ok(found.length > 0);
  await shows(
    () => rowsOf(region("Absences").getByRole("table")),
    found.map(({ absent_date, absent_reason }) => [absent_date, absent_reason]),
  );
});

test("discipline is that of the same days, and staff that of the school", async () => {
  const records = sample.toString().trimEnd().split("\n").map((line) => JSON.parse(line));
  const one = records.find(({ type }) => type === "discipline");
  const { learner_id: learnerId, discipline_date: day } = one;
  await visit(page, `learner/1000/${learnerId}?absentFrom=${day}&absentTo=${day}`);
  const found = await answered("discipline", { learnerId, fromDate: day, toDate: day });
  assert.ok(found.length > 0);
  await shows(
    () => rowsOf(region("Discipline").getByRole("table")),
    found.map((record) => [
      record.discipline_date,
      record.discipline_category,
      record.discipline_reason,
      record.discipline_points,
      record.discipline_remarks,
    ]),
  );
  await page.getByRole("link", { name: "Staff" }).click();
  const staff = await answered("staffMembers", {});
  const ids = async () =>
    (await rowsOf(page.getByRole("table", { name: "Current staff" }))).map((row) => row.at(-1));
  await shows(ids, staff.slice(0, 50).map(({ id }) => id));
});

test("a mark appears on its release date", async () => {
  const records = sample.toString().trimEnd().split("\n").map((line) => JSON.parse(line));
  const current = new Set((await answered("learners", {})).map(({ id }) => Number(id)));
  const program = records.find(
    (one) => one.type === "learning_program" && one.mark_release_date > "2026-06-01",
  );
  const { learner_id } = records.find(
    (one) =>
      one.type === "learner_subject" &&
      one.subject_id === program.subject_id &&
      one.grade_id === program.grade_id &&
      current.has(one.learner_id),
  );
  const day = program.mark_release_date;
  const before = new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);
  await visit(page, `learner/1000/${learner_id}`);
  const term = page.getByRole("group").filter({ hasText: new RegExp(`^Term ${program.term} `) });
  await term.locator("summary").click();
  const { subject_name } = records.find(
    (one) => one.type === "subject" && one.subject_id === program.subject_id,
  );
  const body = term.locator("tbody").filter({ hasText: subject_name });

  const clock = page.getByRole("textbox", { name: "Clock" });
  await clock.fill(`${before}T23:59`);
  await page.getByText(`${before} 21:59 UTC`).waitFor();
  await body.getByText(/assessments?, not released yet/).waitFor();
  await shows(() => body.locator("tr").count(), 2);

  await clock.fill(`${day}T00:00`);
  await page.getByText(`${before} 22:00 UTC`).waitFor();
  await body.getByText(/not released yet/).waitFor({ state: "detached" });
  const now = new Date(`${day}T00:00:00+02:00`);
  const asked = { learnerId: learner_id, term: program.term, subjectId: program.subject_id };
  const expected = markRows(await answered("assessmentMarks", asked, now));
  assert.ok(expected.length > 1);
  await shows(() => cells(body), expected);

  await page.getByRole("button", { name: "−1 day" }).click();
  await body.getByText(/not released yet/).waitFor();
  await page.getByRole("button", { name: "Now" }).click();
  await page.getByText("Answers are for the current time").waitFor();
  assert.doesNotMatch(page.url(), /now=/);
});

test("a request is answered as the service does", async () => {
  await visit(page, "requests");
  await page.getByLabel("Target").fill(target);
  const headers = { "HTTP-X-USERNAME": "demo", "HTTP-X-PASSWORD": "demo" };
  const answer = await oracle.request(target, { headers, now: NOW });
  const size = `${answer.bytes.length.toLocaleString("en")} bytes`;
  assert.match(await send(page), new RegExp(`^200 OK${size}.*[\\d.]+ m?sfrom the call`));
  const body = page.getByRole("region", { name: "Body of the answer" });
  assert.deepEqual(JSON.parse(await body.textContent()), answer.json());
  assert.match(await body.textContent(), /^\[\n {2}\{\n {4}"id": /);
  await page.getByLabel("Raw").check();
  assert.equal(await body.textContent(), answer.text());

  const given = page.getByLabel("Headers, one a line");
  await given.fill("HTTP-X-USERNAME: demo\nHTTP-X-PASSWORD: wrong");
  assert.match(await send(page), /^401 Unauthorized/);
  await given.fill("no header");
  await page.getByRole("button", { name: "Send" }).click();
  const alert = page.getByRole("alert").filter({ visible: true });
  assert.match(await alert.textContent(), /The request was not sent\..*correct “no header”/);
});

test("a state that is switched changes what a request gets", async () => {
  const other = watch(await browser.context.newPage());
  await visit(other, `requests?target=${encodeURIComponent(target)}`);
  assert.match(await send(other), /^200 OK/);

  await visit(page, "clients");
  const toggle = page.getByRole("switch", { name: "Admin+ API of d6+ Primary School" });
  await toggle.click();
  await page.locator("#announcements").getByText(/Admin\+ API is not activated/).waitFor();
  assert.equal(await toggle.getAttribute("aria-checked"), "false");
  assert.equal(await toggle.textContent(), "No");
  await other.getByRole("button", { name: "Send" }).click();
  await other.getByText("403 Forbidden").waitFor();

  // A request in the other tab activates it again, and this tab shows the change.
  await other.getByLabel("Example").selectOption("Activate Admin+ API");
  assert.match(await send(other), /^200 OK/);
  await page.getByRole("switch", { name: /^Admin/, checked: true }).waitFor();
  await other.close();
});

test("an export is the engine's own, byte for byte", async () => {
  await visit(page, "data");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export" }).click(),
  ]);
  assert.equal(download.suggestedFilename(), "rollbook.ndjson");
  const expected = await new Response(oracle.export({ credentials: false })).text();
  assert.equal(readFileSync(await download.path(), "utf8"), expected);
  await page.getByText(/^Exported 4\.\d MB as rollbook\.ndjson/).waitFor();
});

test("the errors of a bad dataset name its lines, and none of it is stored", async () => {
  const before = await page.getByRole("table").locator("caption").textContent();
  const lines = [
    '{"type":"learner","school_id":1000,"id":90001,"first_name":"Kept?"}',
    '{"type":"learner","school_id":1000,"id":90002,"date_of_birth":"2018-02-30"}',
    '{"type":"learner","school_id":1000,"id":90003,"first_nam":"x"}',
  ];
  const buffer = Buffer.from(lines.join("\n"));
  const file = { name: "bad.ndjson", mimeType: "text/plain", buffer };
  await page.getByLabel("Dataset file").setInputFiles(file);
  const alert = page.getByRole("alert").filter({ visible: true });
  const text = await alert.textContent();
  assert.match(text, /line 2: learner: date_of_birth: "2018-02-30" is not a date/);
  assert.match(text, /Correct that line and load the dataset again/);
  await page.getByRole("button", { name: "List all faults" }).click();
  const listed = page.getByRole("table", { name: "2 faults" });
  await listed.waitFor();
  const faults = await cells(listed);
  assert.deepEqual(faults.slice(1).map(([line]) => line), ["2", "3"]);
  assert.equal(await page.locator(".stats caption").textContent(), before);
});

test("an aborted load leaves the store unchanged", async () => {
  const before = await page.locator(".stats caption").textContent();
  const path = join(folder, "large.ndjson");
  const text = sample.toString();
  const schools = Array.from({ length: 8 }, (_, at) =>
    text.replaceAll('"school_id":1000', `"school_id":${2000 + at}`),
  );
  writeFileSync(path, schools.join("\n"));
  await page.getByLabel("Dataset file").setInputFiles(path);
  await page.getByRole("progressbar").filter({ visible: true }).waitFor();
  await page.waitForFunction(() => document.querySelector("progress").value > 0.05);
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("Cancelled: the store is unchanged.").waitFor();
  assert.equal(await page.locator(".stats caption").textContent(), before);
  await page.getByRole("link", { name: "Schools" }).click();
  await page.getByText("1 school", { exact: true }).waitFor();
});

async function drop(lines) {
  const transfer = await page.evaluateHandle((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], "dropped.ndjson"));
    return data;
  }, lines.join("\n"));
  await page.dispatchEvent("main", "drop", { dataTransfer: transfer });
  await page.getByText(`Loaded ${lines.length.toLocaleString("en")} line`).waitFor();
}

test("a large school is shown page by page, and markup in names is shown as text", async () => {
  const lines = [
    '{"type":"school","school_id":4000,"school_name":"<img src=x>","current_year":2026}',
    ...Array.from({ length: 1500 }, (_, at) =>
      JSON.stringify({
        type: "learner",
        school_id: 4000,
        id: at + 1,
        first_name: `<b>${at + 1}</b>`,
        last_name: at % 2 === 0 ? "Even" : "Odd",
      }),
    ),
  ];
  await visit(page, "schools");
  await drop(lines);
  await visit(page, "learners/4000");
  await page.getByText("1,500 learners, 1 to 50 shown").waitFor();
  const table = page.getByRole("table").filter({ visible: true });
  await shows(() => table.locator("tbody tr").count(), 50);
  await shows(async () => (await rowsOf(table))[0]?.[1], "<b>1</b>");
  assert.equal(await page.locator("main img, main b").count(), 0);
  await page.getByRole("searchbox", { name: "Name" }).fill("odd");
  await page.getByText("750 learners, 1 to 50 shown").waitFor();
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByText("Page 2 of 15").waitFor();
  await shows(async () => (await rowsOf(table))[0]?.at(-1), "102");
});

test("grades have the names that the school uses", async () => {
  const school_id = 5000;
  const taught = { school_id, grade_id: 9, year: 2026, subject_id: 1 };
  const details = { learning_outcome_id: 1, assessment_date: "2026-02-02", weight: 1, mark_out_of: 10 };
  const grade = (name) => ({ type: "grade", school_id, grade_id: 9, grade: "7", name });
  const learner = { type: "learner", school_id, first_name: "Ann" };
  const lines = [
    { type: "school", school_id, school_name: "Hill School", current_year: 2026 },
    { type: "year", school_id, year: 2026 },
    grade("Seventh form"),
    { ...learner, id: 1, last_name: "Adams", grade_id: "9", grade: "7" },
    { ...learner, id: 2, last_name: "Botha", grade_id: "10", grade: "8" },
    { ...learner, id: 3, last_name: "Cele", grade_id: "11" },
    { type: "learner_subject", ...taught, learner_id: 1 },
    { type: "learning_program", ...taught, term: 1, mark_release_date: "2026-03-03" },
    { type: "assessment", ...taught, ...details, term: 1, assessment_id: 1 },
    { type: "mark", school_id, assessment_id: 1, learner_id: 1, mark: 5 },
  ];
  await drop(lines.map((line) => JSON.stringify(line)));
  await visit(page, "learners/5000");
  const table = page.getByRole("table").filter({ visible: true });
  const named = async () => (await rowsOf(table)).map((row) => row[2]);
  await page.getByText("3 learners", { exact: true }).waitFor();
  await shows(named, ["Seventh form", "Grade 8", ""]);
  const filter = page.getByLabel("Grade", { exact: true });
  const options = await filter.locator("option").allTextContents();
  assert.deepEqual(options, ["All", "Seventh form", "Grade 8", "11"]);
  await filter.selectOption("Seventh form");
  await page.getByText("1 learner", { exact: true }).waitFor();

  await page.getByRole("link", { name: "Adams" }).click();
  const marks = region("Assessment marks").locator("summary > span");
  await region("Details").getByText("Seventh form", { exact: true }).waitFor();
  await shows(() => marks.allTextContents(), ["Term 1 of 2026, Seventh form"]);
  await drop([JSON.stringify(grade("Form VII"))]);
  await visit(page, "learner/5000/1");
  await region("Details").getByText("Form VII", { exact: true }).waitFor();
  await shows(() => marks.allTextContents(), ["Term 1 of 2026, Form VII"]);
});
