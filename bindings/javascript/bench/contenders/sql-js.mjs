// sql.js: SQLite in the memory of the page. The app stores its file for the next visit.

import initSqlJs from "sql.js";
import { readFile, writeFile } from "../opfs-file.mjs";
import { Database } from "../sqlite/database.mjs";

const FILE = "sql-js.sqlite";

export class Contender {
  #sqlite;
  #database;

  static async load(bytes) {
    const contender = await Contender.#of(undefined);
    contender.#database.load(bytes);
    await writeFile(FILE, contender.#sqlite.export());
    // An export closes the statements and the file.
    contender.#set(contender.#sqlite);
    return contender;
  }

  static async open() {
    return Contender.#of(await readFile(FILE));
  }

  static async #of(file) {
    const SQL = await initSqlJs({ locateFile: (name) => new URL(name, import.meta.url).href });
    const contender = new Contender();
    contender.#set(new SQL.Database(file));
    return contender;
  }

  #set(sqlite) {
    sqlite.run("PRAGMA cache_size = -32768");
    this.#sqlite = sqlite;
    this.#database = new Database({
      run: (sql) => sqlite.run(sql),
      prepare: (sql) => {
        const statement = sqlite.prepare(sql);
        return {
          insert: (params) => statement.run(params),
          value: (params) => {
            statement.bind(params);
            statement.step();
            const [value] = statement.get();
            statement.reset();
            return value;
          },
        };
      },
    });
  }

  async bytes(ask) {
    return this.#database.bytes(ask);
  }

  async objects(ask) {
    return this.#database.objects(ask);
  }

  async close() {
    this.#sqlite.close();
  }
}
