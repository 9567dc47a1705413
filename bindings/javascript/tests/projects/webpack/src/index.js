import { Rollbook } from "rollbook";
import { show } from "./app.js";

await show(Rollbook);
