import { Rollbook } from "rollbook";
import { show } from "./app.js";

void show(Rollbook);
