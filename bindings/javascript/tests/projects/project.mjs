// Creates projects in which the package is installed as users install it.

import { execFile, spawn } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const here = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("../..", import.meta.url));

export const sample = fileURLToPath(
  new URL("../../../../core/examples/sample-school.ndjson", import.meta.url),
);

/** The program of every project. */
export const journey = fileURLToPath(new URL("journey.js", import.meta.url));
/** The name of the sample school in a project. */
export const SAMPLE = "sample-school.ndjson";
/** The results of a journey with a new store, and with one that an earlier journey filled. */
export const FIRST = "opens answers observes";
export const AGAIN = "opens persists answers observes";
/** The text of a page: a journey with a store, one in memory and, if the app syncs, a sync. */
export const shown = (stored, syncs = false) => `${stored}, ${FIRST}${syncs ? ", fills" : ""}`;

/** Packs the package as for publication. */
export async function pack() {
  const folder = mkdtempSync(join(tmpdir(), "rollbook-package-"));
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", folder], {
    cwd: root,
  });
  // Newer versions of npm return an object by the names of the packages.
  const [{ filename, files }] = Object.values(JSON.parse(stdout));
  return {
    tarball: join(folder, filename),
    files: files.map(({ path }) => path),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const NPM = ["npm", "install", "--no-audit", "--no-fund", "--prefer-offline"];

/**
 * Copies a project of this folder to a folder outside of the repository, and installs it with npm or
 * another package manager.
 */
export async function install(name, tarball, manager = NPM) {
  const folder = mkdtempSync(join(tmpdir(), `rollbook-${name}-`));
  cpSync(join(here, name), folder, { recursive: true });
  cpSync(tarball, join(folder, "rollbook.tgz"));
  // A project may have a version of Node of its own.
  const path = `${join(folder, "node_modules/.bin")}${delimiter}${process.env.PATH}`;
  const env = { ...process.env, PATH: path, NO_COLOR: "1", FORCE_COLOR: "0", CI: "1" };
  const project = {
    folder,
    /** Copies a file into the project. */
    add(file, ...path) {
      cpSync(file, join(folder, ...path));
    },
    /** Runs a program in the project. Returns its output. */
    async run(program, ...given) {
      try {
        return (await run(program, given, { cwd: folder, env })).stdout;
      } catch (error) {
        throw new Error(`${name}: ${error.message}\n${error.stdout}`, { cause: error });
      }
    },
    /** Starts a server of the project, and reads its address from its output. */
    async serve(program, ...given) {
      const server = spawn(join(folder, "node_modules/.bin", program), given, {
        cwd: folder,
        env: { ...env, PORT: "0" },
        stdio: ["ignore", "pipe", "inherit"],
        detached: true,
      });
      const url = await new Promise((resolve, reject) => {
        let said = "";
        server.stdout.on("data", (piece) => {
          said += piece;
          const [, port] = /http:\/\/(?:localhost|\[::\]):(\d+)/.exec(said) ?? [];
          if (port) resolve(`http://localhost:${port}/`);
        });
        server.once("error", reject);
        server.once("exit", () => reject(new Error(`${name}: ${program} ended: ${said}`)));
      });
      // The server may have started other processes.
      return { url, close: () => process.kill(-server.pid) };
    },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
  await project.run(...manager);
  return project;
}
