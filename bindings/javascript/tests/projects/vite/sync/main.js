import { Rollbook, syncWith } from "rollbook";
import { show } from "../app.js";

void show(Rollbook, syncWith);
