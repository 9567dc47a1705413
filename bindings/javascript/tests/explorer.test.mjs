// The explorer, used as people use it, and compared with what the engine answers in Node. The
// tests go on from each other, in this order.

import "./explorer/sections.mjs";
import "./explorer/everyone.mjs";
