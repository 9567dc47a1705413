// Tests the explorer as a user operates it, and compares it with the answers of the engine in Node.
// Each test continues with the state that the previous one left.

import "./explorer/sections.mjs";
import "./explorer/environments.mjs";
