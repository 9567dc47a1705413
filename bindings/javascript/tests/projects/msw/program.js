// The engine answers the requests that the program sends to the service.

import { readFile } from "node:fs/promises";
import { http } from "msw";
import { setupServer } from "msw/node";
import { Rollbook } from "rollbook";
import { journey } from "./journey.js";

const dataset = () => readFile("sample-school.ndjson");
const engine = await Rollbook.memory();
await engine.apply(await dataset());
const service = "https://integrate.example.org";
const server = setupServer(http.all(`${service}/*`, ({ request }) => engine.fetch(request)));
server.listen({ onUnhandledRequest: "error" });

const headers = { "HTTP-X-USERNAME": "demo", "HTTP-X-PASSWORD": "demo" };
const answer = await fetch(`${service}/api/v1/adminplus/learners/1000?name=zoe`, { headers });
const [learner] = await answer.json();
if (answer.status !== 200 || learner.first_name !== "Zoë") throw new Error(String(answer.status));
const refused = await fetch(`${service}/api/v1/settings/clients`);
if (refused.status !== 401) throw new Error(String(refused.status));
console.log(await journey(Rollbook, dataset, "school.redb"));
