// Runs the corpus in Node.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Rollbook } from "rollbook";
import { judge, runCorpus } from "./corpus.mjs";
import { corpus, corpusSize } from "./material.mjs";

test("the corpus in Node, in memory", async () => {
  judge(await runCorpus(readFileSync(corpus(), "utf8"), () => Rollbook.memory()), corpusSize());
});
