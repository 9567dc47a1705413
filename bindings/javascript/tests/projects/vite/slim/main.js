import wasm from "rollbook/rollbook.wasm?url";
import { Rollbook, initialise } from "rollbook/slim";
import StoreWorker from "rollbook/worker?worker";
import { show } from "../journey.js";

initialise({ module: wasm, worker: () => new StoreWorker() });
void show(Rollbook);
