// Starts a real browser with a profile of its own.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const candidates = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/google-chrome"];
const executablePath = candidates.find((path) => path && existsSync(path));

/** Starts the browser. `close` also removes its profile. */
export async function start(options = {}) {
  if (!executablePath) throw new Error("no Chromium: install it, or name one in CHROMIUM");
  const profile = mkdtempSync(join(tmpdir(), "rollbook-browser-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    args: ["--no-sandbox"],
    ...options,
  });
  return {
    context,
    /** Opens a tab at this address. */
    async tab(url) {
      const page = await context.newPage();
      page.on("pageerror", (error) => console.error("page:", error));
      await page.goto(url);
      return page;
    },
    async close() {
      await context.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
