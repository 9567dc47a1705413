import wasm from "rollbook/rollbook.wasm";
import { Rollbook, initialise } from "rollbook/slim";
import { journey } from "../journey.js";
import sample from "./sample-school.txt";

initialise({ module: wasm });

export default {
  fetch: async () => new Response(await journey(Rollbook, () => sample)),
};
