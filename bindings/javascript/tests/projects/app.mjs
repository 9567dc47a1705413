// The path of the app of the projects, and its expected output.

import { fileURLToPath } from "node:url";

export const app = fileURLToPath(new URL("app.js", import.meta.url));
export const SAMPLE = "sample-school.ndjson";

/** Returns the output of a visit of the app. */
function printed({ learners, added, known }) {
  const answers =
    '200 [{"id":"399910","learner_id":"1","absent_date":"2026-05-04",' +
    '"absent_reason":"Illness"}]\nZoë van der Merwe\n';
  return (
    `persistent: ${learners} learners before, ${added} added, ${known} known\n${answers}` +
    `in memory: 0 learners before, 266 added, 0 known\n${answers}`
  );
}
/** The additional output of an app that syncs. */
export const FILLED = "filled: Zoë\n";
export const FIRST = printed({ learners: 0, added: 266, known: 0 });
export const AGAIN = printed({ learners: 13, added: 0, known: 266 });
