/**
 * @jest-environment jest-fixed-jsdom
 * @jest-environment-options {"customExportConditions": ["node"]}
 */
import { readFile } from "node:fs/promises";
import { Rollbook } from "rollbook";
import { journey } from "./journey.js";

test("in memory", async () => {
  const dataset = () => readFile("sample-school.ndjson");
  expect(await journey(Rollbook, dataset)).toBe("opens answers observes");
});
