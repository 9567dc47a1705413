// A server component.

import { readFile } from "node:fs/promises";
import { Rollbook } from "rollbook";
import { journey } from "../journey.js";

export const dynamic = "force-dynamic";

const dataset = () => readFile("public/sample-school.ndjson");

export default async function Page() {
  const memory = await journey(Rollbook, dataset);
  const file = await journey(Rollbook, dataset, "school.redb");
  return <pre>{`${memory}, ${file}`}</pre>;
}
