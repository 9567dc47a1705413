import { Rollbook, syncWith } from "rollbook/sync";
import { show } from "../app.js";

void show(Rollbook, syncWith);
