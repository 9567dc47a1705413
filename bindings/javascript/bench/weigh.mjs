// Prints what a browser downloads for each contender.

import { weightsTable } from "./report.mjs";
import { weights } from "./site.mjs";

console.log(weightsTable(await weights()));
