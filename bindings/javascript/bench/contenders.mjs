// Who takes part: the script of each, what of it is meant, and the place of the Rollbook
// that it is told against: in memory, or kept by the browser.

export const contenders = [
  { name: "Rollbook, memory", script: "rollbook.js", exported: "InMemory" },
  { name: "sql.js", script: "sql-js.js", against: 0 },
  { name: "filter", script: "filter.js", against: 0 },
  { name: "Rollbook, OPFS", script: "rollbook.js", exported: "InFile" },
  { name: "sqlite-wasm, OPFS", script: "sqlite-wasm.js", against: 3 },
  { name: "Dexie", script: "dexie.js", against: 3 },
];

/** The class of a contender, or what stands for one. */
export async function importOf({ script, exported = "Contender" }) {
  const module = await import(new URL(`./${script}`, import.meta.url).href);
  return module[exported];
}
