// Tests the types of the records: TypeScript compares them with answers. The error for a field that
// only the type or only the answer has contains the name of the field.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Rollbook } from "rollbook";
import { NOW, SCHOOL, dist, root } from "./material.mjs";

const school = SCHOOL;
const marks = { school, gradeId: 9 };
const everything = { school, includeParents: true, includeAccountablePerson: true };

/** Questions, with the types of their answers, and a function if only a part is compared. */
const ASKED = [
  ["learners", { school }, "v1.Learner[]"],
  ["learners", { school, includeParents: true }, "Required<v1.Learner>[]"],
  ["assessmentMarks", marks, "v1.AssessmentMarks"],
  ["assessmentMarks", { ...marks, structure: true }, "v1.AssessmentStructure", anAssessment],
  ["subjectsPerTerm", { school, learnerId: 1 }, "v1.SubjectPerTerm[]"],
  ["subjectMarks", { school, learnerId: 1 }, "v1.SubjectMarks[]"],
  ["learnerSubjects", { school }, "v1.LearnerSubject[]"],
  ["schools", { username: "demo" }, "v1.School[]"],
  ["clients", { username: "demo" }, "v1.Client[]"],
  ["absentees", { school }, "v1.Absentee[]"],
  ["financeLearners", { school }, "v1.FinanceLearner[]"],
  ["financeLearners", everything, "Required<v1.FinanceLearner>[]"],
  ["accountablePersons", { school }, "v1.AccountablePerson[]"],
  ["accountablePersons", { school, includeLearners: true }, "Required<v1.AccountablePerson>[]"],
  ["parents", { school }, "v1.Parent[]"],
  ["staffMembers", { school }, "v1.StaffMember[]"],
  ["schoolInfo", { school }, "v1.SchoolInfo"],
  ["discipline", { school }, "v1.Discipline[]"],
  ["grades", { school }, "v1.LookupEntry[]"],
  ["lookup", { list: "maritalStatus" }, "v1.LookupEntry[]"],
  ["learners", { school: 4711 }, "v1.Error"],
];

/** Returns one assessment of an answer. */
function anAssessment(text) {
  return text.match(/"assessments":\{"\d+":(\{.*?\})/)[1];
}

async function answers() {
  const engine = await Rollbook.memory({ clock: () => NOW });
  await engine.apply(readFileSync(`${root}../../core/examples/sample-school.ndjson`));
  const texts = [];
  for (const [name, fields, , part = (text) => text] of ASKED) {
    texts.push(part((await engine.ask(name, fields)).text()));
  }
  await engine.close();
  return texts;
}

/** Returns the output of the compiler for constants of these types. */
function compiled(types, values) {
  const folder = mkdtempSync(join(tmpdir(), "rollbook-records-"));
  try {
    const constants = types.map((type, at) => `export const answer${at}: ${type} = ${values[at]};\n`);
    const file = join(folder, "records.ts");
    writeFileSync(file, `import type * as v1 from "${dist}records.js";\n${constants.join("")}`);
    const tsc = `${root}node_modules/typescript/bin/tsc`;
    const options = ["--ignoreConfig", "--noEmit", "--strict", "--exactOptionalPropertyTypes"];
    const ran = spawnSync(process.execPath, [tsc, ...options, file], { encoding: "utf8" });
    return ran.stdout + ran.stderr;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("every question is asked", () => {
  const source = readFileSync(`${root}src/questions.ts`, "utf8");
  const [, declared] = source.split("export interface Questions {");
  const names = [...declared.matchAll(/^  (\w+): \{ asks:/gm)].map(([, name]) => name);
  assert.deepEqual(new Set(ASKED.map(([name]) => name)), new Set(names));
});

test("answers have exactly the fields of their types", async () => {
  const values = await answers();
  for (const value of values) assert.match(value, /^.{20}/);
  assert.equal(compiled(ASKED.map(([, , type]) => type), values), "");
});

test("the errors for a missing and for an additional field name it", async () => {
  const [learners] = await answers();
  const said = compiled(
    ["v1.Learner[]", "v1.Learner[]"],
    [learners.replaceAll('"gender":', '"sex":'), learners.replaceAll(/"photo_url":"[^"]*",/g, "")],
  );
  assert.match(said, /'"sex"' does not exist in type 'Learner'/);
  assert.match(said, /Property 'photo_url' is missing/);
});
