// A route handler.

import { readFile } from "node:fs/promises";
import { Rollbook } from "rollbook";
import { journey } from "../../journey.js";

const dataset = () => readFile("public/sample-school.ndjson");

export async function GET() {
  return new Response(await journey(Rollbook, dataset));
}
