// Prints the size of the download of each contender.

import { weightsTable } from "./report.mjs";
import { weights } from "./site.mjs";

console.log(weightsTable(await weights()));
