import { Rollbook, initialise } from "rollbook/slim";
import { show } from "./journey.js";

initialise({
  module: new URL("rollbook/rollbook.wasm", import.meta.url),
  worker: () => new Worker(new URL("rollbook/worker", import.meta.url)),
});
void show(Rollbook);
