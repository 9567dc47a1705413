// The worker of the official build of SQLite. Its file is located in the origin's private file
// system. The VFS `opfs-sahpool` needs no special headers.

import sqlite3InitModule from "@sqlite.org/sqlite-wasm";
import { Database } from "./database.mjs";

const FILE = "/bench.sqlite";

let sqlite;
let database;
let pool;

async function open() {
  const sqlite3 = await sqlite3InitModule();
  pool = await sqlite3.installOpfsSAHPoolVfs({ directory: "sahpool" });
  sqlite = new pool.OpfsSAHPoolDb(FILE);
  // One connection has exclusive access to the file, as in Rollbook.
  sqlite.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -32768");
  database = new Database({
    run: (sql) => sqlite.exec(sql),
    prepare: (sql) => {
      const statement = sqlite.prepare(sql);
      return {
        insert: (params) => statement.bind(params).stepReset(),
        value: (params) => {
          statement.bind(params).step();
          const value = statement.getBlob(0);
          statement.reset();
          return value;
        },
      };
    },
  });
}

const calls = {
  async load(bytes) {
    await open();
    database.load(bytes);
  },
  open,
  bytes: (ask) => database.bytes(ask),
  close: () => {
    sqlite.close();
    pool.pauseVfs();
  },
};

globalThis.onmessage = async ({ data: { number, name, given } }) => {
  try {
    const value = await calls[name](given);
    const transfer = value instanceof Uint8Array ? [value.buffer] : [];
    globalThis.postMessage({ number, value }, transfer);
  } catch (error) {
    globalThis.postMessage({ number, error: String(error) });
  }
};
