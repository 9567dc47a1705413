import wasm from "rollbook/rollbook.wasm";
import { Rollbook, initialise } from "rollbook/slim";
import { show } from "./journey.js";

initialise({ module: wasm, worker: () => new Worker("worker.js") });
void show(Rollbook);
