import { readFile } from "node:fs/promises";
import { Rollbook } from "rollbook";
import { journey } from "../../journey.js";

export const load = async () => ({
  text: await journey(Rollbook, () => readFile("static/sample-school.ndjson")),
});
