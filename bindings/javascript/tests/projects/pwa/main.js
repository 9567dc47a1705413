import { Rollbook } from "rollbook";
import { journey } from "./journey.js";

const dataset = () => fetch("sample-school.ndjson");
document.querySelector("pre").textContent = await journey(Rollbook, dataset, "school").catch(String);
