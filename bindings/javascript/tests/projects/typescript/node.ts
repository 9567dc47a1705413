// The differences in Node: a store is a file, and there is no `delete`.

import { createReadStream } from "node:fs";
import { Rollbook, type Engine } from "rollbook";

export async function open(): Promise<Engine> {
  const engine = await Rollbook.open("school.redb");
  await engine.apply(createReadStream("school.ndjson"));
  // @ts-expect-error A file is deleted as files are.
  await Rollbook.delete("school.redb");
  return engine;
}
