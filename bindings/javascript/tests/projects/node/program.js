// Runs in Node, Bun and Deno.

import { readFile } from "node:fs/promises";
import process from "node:process";
import { Rollbook } from "rollbook";
import { journey } from "./journey.js";

const [, , store = "school.redb"] = process.argv;
console.log(await journey(Rollbook, () => readFile("sample-school.ndjson"), store));
