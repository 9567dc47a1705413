import { Rollbook, syncWith } from "rollbook";
import { show } from "./journey.js";

void show(Rollbook, syncWith);
