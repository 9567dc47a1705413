import { readFile } from "node:fs/promises";
import { Rollbook } from "rollbook";
import { journey } from "./journey.js";

const dataset = () => readFile("sample-school.ndjson");

test("in memory", async () => {
  expect(await journey(Rollbook, dataset)).toBe("opens answers observes");
});

test("in a file", async () => {
  expect(await journey(Rollbook, dataset, "school.redb")).toBe("opens answers observes");
  expect(await journey(Rollbook, dataset, "school.redb")).toBe("opens persists answers observes");
});
