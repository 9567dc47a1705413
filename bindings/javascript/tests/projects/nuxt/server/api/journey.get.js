import { readFile } from "node:fs/promises";
import { Rollbook } from "rollbook";
import { journey } from "#shared/journey.js";

export default defineEventHandler(() =>
  journey(Rollbook, () => readFile("public/sample-school.ndjson")),
);
