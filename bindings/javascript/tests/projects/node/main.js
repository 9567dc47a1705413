import { createReadStream } from "node:fs";
import { Rollbook } from "rollbook";
import { run } from "./app.js";

process.stdout.write(
  await run(Rollbook, "school.redb", async () => createReadStream("sample-school.ndjson")),
);
