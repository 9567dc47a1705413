// Tests the page with a keyboard, a screen reader, a small screen, several tabs and no network.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { serve } from "../site.mjs";
import {
  answered,
  browser,
  complaints,
  explorer,
  lines,
  loadSample,
  page,
  region,
  send,
  site,
  use,
  violations,
  visit,
  watch,
} from "./session.mjs";

const SECTIONS = [
  "data",
  "schools",
  "clients",
  "learners/1000",
  "learner/1000/5",
  "requests?target=/api/v1/settings/clients",
];

test("reload and back restore the route", async () => {
  await visit(page, "learners/1000?name=tse");
  const counted = page.getByRole("status").filter({ hasText: /^\d+ learners?$/ });
  const count = await counted.textContent();
  const ids = (await answered("learners", { name: "tse" })).map(({ id }) => id);
  await page.reload();
  await counted.waitFor();
  assert.equal(await counted.textContent(), count);
  assert.equal(await page.getByRole("searchbox", { name: "Name" }).inputValue(), "tse");
  await page.locator(`[data-learner="${ids[0]}"]`).click();
  await region("Details").waitFor();
  await page.reload();
  await region("Details").waitFor();
  await page.getByText("2026-05-14 08:00 UTC").waitFor();
  await page.goBack();
  await counted.waitFor();
  assert.equal(await page.getByRole("searchbox", { name: "Name" }).inputValue(), "tse");
});

test("a route without a learner shows an error, and no other learner", async () => {
  await visit(page, "learner/1000/5");
  await region("Details").waitFor();
  await visit(page, "learner/1000/abc");
  const alert = page.getByRole("alert").filter({ visible: true });
  assert.match(await alert.textContent(), /This cannot be shown\. learner_id: abc/);
  assert.equal(await region("Details").isVisible(), false);
  await visit(page, "learner/1000/999999");
  await page.getByRole("heading", { name: "No learner of id 999999 at school 1000" }).waitFor();
  assert.equal(await region("Details").isVisible(), false);
});

test("the keyboard alone finds, opens and leaves a learner", async () => {
  await visit(page, "data");
  const focused = () =>
    page.evaluate(() => {
      const { activeElement: one } = document;
      return one.getAttribute("aria-label") ?? one.labels?.[0]?.textContent ?? one.textContent;
    });
  const tabTo = async (name, key = "Tab") => {
    for (let step = 0; step < 40; step += 1) {
      await page.keyboard.press(key);
      if ((await focused()) !== name) continue;
      const { outlineStyle } = await page.evaluate(() => {
        const { outlineStyle } = getComputedStyle(document.activeElement);
        return { outlineStyle };
      });
      assert.notEqual(outlineStyle, "none", `${name} shows its focus`);
      return;
    }
    assert.fail(`no ${name} within 40 steps`);
  };
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "Data" }).waitFor();
  await page.keyboard.press("Tab");
  assert.equal(await focused(), "Skip to the content");
  await tabTo("Learners");
  await page.keyboard.press("Enter");
  await page.locator("h1:focus").waitFor();
  assert.equal(await focused(), "Learners");
  await tabTo("Name");
  const [{ id, first_name, last_name }] = await answered("learners", { name: "tse" });
  await page.keyboard.type("tse");
  await page.waitForFunction(() => /name=tse/.test(location.hash));
  await page.locator(`[data-learner="${id}"]`).waitFor();
  await tabTo(`${last_name}, ${first_name}`);
  await page.keyboard.press("Enter");
  await region("Details").waitFor();
  assert.equal(await focused(), `${first_name} ${last_name}`);
  await tabTo("Back to the learners", "Shift+Tab");
  await page.keyboard.press("Enter");
  await page.locator(`[data-learner="${id}"]:focus`).waitFor();
  assert.equal(await page.getByRole("searchbox", { name: "Name" }).inputValue(), "tse");
});

test("axe finds nothing, in light and dark", async () => {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    for (const section of SECTIONS) {
      await visit(page, section);
      if (section.startsWith("requests")) await send(page);
      if (section === "learner/1000/5") await region("Details").waitFor();
      assert.deepEqual(await violations(page), [], `${section}, ${colorScheme}`);
    }
    await visit(page, "learners/1000?status=left&since=2020-01-01");
    await page.getByText(/must not exceed 1 year/).waitFor();
    assert.deepEqual(await violations(page), [], `a failure, ${colorScheme}`);
    await visit(page, "data");
    await page.getByRole("button", { name: "Start over…" }).click();
    assert.deepEqual(await violations(page), [], `the dialog, ${colorScheme}`);
    await page.keyboard.press("Escape");
  }
  await page.emulateMedia({ colorScheme: "light" });
});

test("at 320 pixels the page does not scroll sideways", async () => {
  await page.setViewportSize({ width: 320, height: 640 });
  for (const section of SECTIONS) {
    await visit(page, section);
    if (section.startsWith("requests")) await send(page);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.equal(width, 320, section);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
});

test("another tab shows the same store", async () => {
  const other = watch(await browser.context.newPage());
  await visit(other, "learner/1000/5");
  await other.getByText(/marks released/).first().waitFor();
  await page.close();
  // The tab that had the store open is closed, so this one takes over.
  await other.getByRole("link", { name: "Back to the learners" }).click();
  await other.getByText("93 learners, 1 to 50 shown").waitFor();
  use(other);
});

test("all records are removed only after a confirmation", async () => {
  await visit(page, "data");
  const over = page.getByRole("button", { name: "Start over…" });
  await over.click();
  const dialog = page.getByRole("dialog", { name: "Remove everything?" });
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  assert.equal(await over.evaluate((button) => button === document.activeElement), true);
  assert.equal(await page.locator(".stats caption").count(), 1);
  await over.click();
  await dialog.getByRole("button", { name: "Remove everything" }).click();
  await page.getByText("Nothing yet: load a dataset, or the sample school.").waitFor();
});

test("without a private file system, the page shows an error and offers to use memory", async () => {
  const other = await browser.context.newPage();
  await other.addInitScript(() => {
    Object.defineProperty(StorageManager.prototype, "getDirectory", { value: undefined });
  });
  await other.goto(`${site.url}/explorer/`);
  const alert = other.getByRole("alert").filter({ visible: true });
  assert.match(await alert.textContent(), /provides no storage for a store\. Leave private mode/);
  await other.getByRole("button", { name: "Continue without storing anything" }).click();
  await loadSample(other);
  await other.close();
});

test("without a network, the page opens with its data", async () => {
  const away = await serve({ "/explorer/": join(explorer, "dist/") });
  const tab = await browser.context.newPage();
  tab.setDefaultTimeout(20_000);
  try {
    await tab.goto(`${away.url}/explorer/`);
    await tab.getByText("Opens offline.").waitFor();
    await loadSample(tab);
    away.close();
    await browser.context.setOffline(true);
    await tab.reload();
    await tab.getByText(`${lines()} records`).waitFor();
    await tab.getByRole("link", { name: "Learners" }).click();
    await tab.getByText("93 learners, 1 to 50 shown").waitFor();
    await tab.getByRole("link", { name: "Data" }).click();
    await loadSample(tab);
  } finally {
    away.close();
    await browser.context.setOffline(false);
    await tab.close();
  }
});

test("nothing was refused by the page's policy, and no script failed", async () => {
  const script = await page.evaluate(() => {
    const inline = document.createElement("script");
    inline.textContent = "globalThis.ran = true";
    document.head.append(inline);
    return globalThis.ran === true;
  });
  assert.equal(script, false, "the policy is in force");
  const others = complaints.filter((text) => !/ran|inline script/.test(text));
  assert.deepEqual(others, []);
});

const unasked = !process.env.EXPLORER_SCREENSHOT && "EXPLORER_SCREENSHOT does not name its file";

test("a picture for the README", { skip: unasked }, async () => {
  await visit(page, "data");
  await loadSample(page);
  await visit(page, "learner/1000/5");
  await region("Details").waitFor();
  await page.mouse.move(0, 0);
  await page.screenshot({ path: join(explorer, "screenshot.png") });
});
