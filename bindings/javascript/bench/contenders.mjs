// The contenders: the script of each, the name of its class there, and the index of the Rollbook
// contender with which it is compared, in memory or in a file.

export const contenders = [
  { name: "Rollbook, memory", script: "rollbook.js", exported: "InMemory" },
  { name: "sql.js", script: "sql-js.js", against: 0 },
  { name: "filter", script: "filter.js", against: 0 },
  { name: "Rollbook, OPFS", script: "rollbook.js", exported: "InFile" },
  { name: "sqlite-wasm, OPFS", script: "sqlite-wasm.js", against: 3 },
  { name: "Dexie", script: "dexie.js", against: 3 },
];

/** Imports the class of a contender, or an object with the same methods. */
export async function importOf({ script, exported = "Contender" }) {
  const module = await import(new URL(`./${script}`, import.meta.url).href);
  return module[exported];
}
