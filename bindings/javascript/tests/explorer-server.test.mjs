// Tests the explorer that `rollbook serve` embeds: it shows the data of the server, as the API answers
// it, and stores nothing in the browser.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Rollbook } from "../dist/node.js";
import { start } from "./browser.mjs";
import { CREDENTIALS, NOW, material, root } from "./material.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const sample = readFileSync(join(root, "../../core/examples/sample-school.ndjson"), "utf8");

let browser, folder, oracle, program;
const servers = [];
const complaints = [];

/** Starts a server, and returns its address. */
async function serve(...more) {
  const running = spawn(program, ["serve", "--listen", "0", "--quiet", ...more], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  servers.push(running);
  let said = "";
  for await (const piece of running.stdout) {
    said += piece;
    if (said.includes("\n")) break;
  }
  const [url] = /http:\S+/.exec(said) ?? [];
  assert.ok(url, said);
  return { url, stop: () => running.kill("SIGKILL") };
}

async function open(url) {
  const page = await browser.context.newPage();
  page.setDefaultTimeout(20_000);
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(url);
  return page;
}

const rows = (page) => page.locator("main > section:visible table tbody tr");

before(async () => {
  execFileSync(join(root, "explorer/build"), { stdio: ["ignore", "ignore", "inherit"] });
  // The command embeds the files that were just made.
  const cargo = ["build", "--quiet", "--lib", "--bins", "--examples"];
  execFileSync("cargo", cargo, { cwd: join(root, "../.."), stdio: "inherit" });
  program = join(material(), "../../debug/rollbook");
  oracle = await Rollbook.memory({ clock: () => NOW });
  await oracle.apply(sample);
  folder = mkdtempSync(join(tmpdir(), "rollbook-explorer-"));
  browser = await start({ viewport: { width: 1280, height: 800 } });
});

after(async () => {
  for (const server of servers) server.kill("SIGKILL");
  await browser?.close();
  await oracle?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

test("the sample schools are shown without a login and without a load", async () => {
  const { url } = await serve();
  const page = await open(url);
  await page.getByRole("heading", { name: "Schools" }).waitFor();
  const schools = (await oracle.ask("schools", { username: "demo" })).json();
  await rows(page).nth(schools.length - 1).waitFor();
  assert.equal(await rows(page).count(), schools.length);
  await page.getByText(`This page shows the data of the server at ${url}.`).waitFor();
  assert.equal(await page.getByRole("link", { name: "Data" }).count(), 0);
  assert.equal(await page.getByRole("group", { name: "Clock" }).isVisible(), false);

  await page.getByRole("link", { name: schools[0].school_name }).click();
  const learners = (await oracle.ask("learners", { school: 1000 })).json();
  await page.getByText(`${learners.length} learners`).waitFor();
  await page.getByRole("searchbox", { name: "Name" }).fill("zoe");
  await page.getByText("1 learner", { exact: true }).waitFor();
  await page.locator('[data-learner="3"]').click();
  await page.getByRole("region", { name: "Details" }).waitFor();
  await page.getByText("zoe.vdm@example.com").first().waitFor();

  await page.getByRole("link", { name: "Staff" }).click();
  const staff = (await oracle.ask("staffMembers", { school: 1000 })).json();
  await rows(page).nth(staff.length - 1).waitFor();
  assert.equal(await rows(page).count(), staff.length);

  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`), []);
  const stored = await page.evaluate(async () => {
    const workers = await navigator.serviceWorker.getRegistrations();
    const files = [];
    for await (const name of (await navigator.storage.getDirectory()).keys()) files.push(name);
    return [workers.length, files, localStorage.length, await caches.keys()];
  });
  assert.deepEqual(stored, [0, [], 0, []], "nothing is stored in the browser");
  await page.close();
});

test("requests and states are those of the server", async () => {
  const { url } = await serve();
  const target = "/api/v1/adminplus/learners/1000?name=an";
  const page = await open(`${url}/#/requests?target=${encodeURIComponent(target)}`);
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("200 OK").waitFor();
  await page.getByText("Raw").click();
  const answer = await oracle.request(target, { headers: CREDENTIALS });
  const shown = page.getByRole("region", { name: "Body of the answer" });
  assert.equal(await shown.textContent(), answer.text());

  await page.getByRole("link", { name: "Clients" }).click();
  const toggle = page.getByRole("switch", { name: "Admin+ API of d6+ Primary School" });
  assert.equal(await toggle.getAttribute("aria-checked"), "true");
  await toggle.click();
  await page.getByText("Admin+ API is not activated any more.").waitFor({ state: "attached" });
  const refused = await fetch(`${url}/api/v1/adminplus/learners/1000`, { headers: CREDENTIALS });
  assert.equal(refused.status, 403);
  await page.close();
});

test("the clock of the server is set, if it may be", async () => {
  const { url } = await serve("--allow-clock");
  const page = await open(`${url}/#/requests?target=/api/v1/adminplus/learnerabsentees/1000`);
  const send = () => page.getByRole("button", { name: "Send" }).click();
  await send();
  await page.getByText("200 OK").waitFor();
  await page.getByRole("textbox", { name: "Clock" }).fill("2026-12-24T08:00");
  await page.getByText("2026-12-24").first().waitFor();
  await send();
  await page.getByText("404 Not Found").waitFor();
  await page.getByRole("button", { name: "Now" }).click();
  await send();
  await page.getByText("200 OK").waitFor();
  await page.close();
});

test("a store of one's own needs its login", async () => {
  const dataset = join(folder, "school.ndjson");
  const renamed = sample.replaceAll('"demo"', '"reader"');
  writeFileSync(dataset, renamed);
  const server = await serve("--dataset", dataset, "--now", NOW.toISOString());
  const page = await open(server.url);
  const logIn = async (password) => {
    await page.getByLabel("User name").fill("reader");
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Log in" }).click();
  };
  await logIn("wrong");
  await page.getByRole("alert").filter({ hasText: "The login was not accepted." }).waitFor();
  await logIn("reader");
  await page.getByRole("link", { name: "d6+ Primary School" }).waitFor();
  // A server that has ended is reported.
  server.stop();
  await page.getByRole("link", { name: "Staff" }).click();
  await page.getByRole("alert").filter({ hasText: "The server does not answer" }).waitFor();
  await page.close();
});

test("the pages complained about nothing else", () => {
  const expected = /Failed to load resource|ERR_CONNECTION/;
  assert.deepEqual(complaints.filter((text) => !expected.test(text)), []);
});
