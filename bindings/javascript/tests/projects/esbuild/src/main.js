import { Rollbook } from "rollbook";
import { show } from "./journey.js";

void show(Rollbook);
