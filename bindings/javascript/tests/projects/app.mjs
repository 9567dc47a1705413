// The app of the projects, and what it prints.

import { fileURLToPath } from "node:url";

export const app = fileURLToPath(new URL("app.js", import.meta.url));
export const SAMPLE = "sample-school.ndjson";

/** What the app prints on its first visit, and on each one after. */
function printed({ learners, added, known }) {
  const answers =
    '200 [{"id":"399910","learner_id":"1","absent_date":"2026-05-04",' +
    '"absent_reason":"Illness"}]\nZoë van der Merwe\n';
  return (
    `kept: ${learners} learners before, ${added} added, ${known} known\n${answers}` +
    `in memory: 0 learners before, 266 added, 0 known\n${answers}`
  );
}
/** What it prints beside, if it syncs. */
export const FILLED = "filled: Zoë\n";
export const FIRST = printed({ learners: 0, added: 266, known: 0 });
export const AGAIN = printed({ learners: 13, added: 0, known: 266 });
