// Starts a real browser with a profile of its own.

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const candidates = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/google-chrome"];
const executablePath = candidates.find((path) => path && existsSync(path));

/**
 * Starts the browser. `close` also removes its profile. `settings` are those of the profile, by
 * their names in Chromium's preferences.
 */
export async function start(options = {}, settings = undefined) {
  if (!executablePath) throw new Error("no Chromium: install it, or name one in CHROMIUM");
  const profile = mkdtempSync(join(tmpdir(), "rollbook-browser-"));
  if (settings) {
    mkdirSync(join(profile, "Default"));
    writeFileSync(join(profile, "Default/Preferences"), JSON.stringify({ profile: settings }));
  }
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
