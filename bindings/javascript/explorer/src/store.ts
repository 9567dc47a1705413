// The data that the page shows, from the store of this browser or from a server.

import { Engine, Rollbook, type Answer, type At, type LiveQuery, type Questions } from "rollbook";
import { Grades } from "./grades.js";
import type { Server } from "./server.js";
import type { Directory, SchoolName, Source } from "./source.js";

/** An answer with which the API refuses a request. */
export class Refusal extends Error {
  constructor(answer: Answer<unknown>) {
    const { error, error_description } = answer.json() as Record<string, string>;
    super(`The engine answers ${answer.status} ${error}: ${error_description}.`);
  }
}

/** Returns the content of an answer, or `nothing` if its status is 404. */
export function found<T>(answer: Answer<T>, nothing: T): T {
  if (answer.ok) return answer.json();
  if (answer.status === 404) return nothing;
  throw new Refusal(answer);
}

interface Head {
  type: string;
  school_id?: number | string;
  school_name?: string;
  username?: string;
  api_type_id?: number | string;
}

export class Store {
  readonly source: Source;
  /** The server, unless the data is in this browser. */
  readonly server: Server | undefined;
  readonly #engine: Engine | undefined;
  readonly #changed: () => void;
  /** The live queries of what the page shows. When an answer changes, the page renders again. */
  #shown: LiveQuery[] = [];
  #directory: Promise<Directory> | undefined;
  #grades = new Map<string, Promise<Grades>>();
  #version = 0;

  private constructor(source: Engine | Server, changed: () => void) {
    this.source = source;
    [this.#engine, this.server] = source instanceof Engine ? [source, undefined] : [undefined, source];
    this.#changed = () => {
      this.forget();
      changed();
    };
    // No live query reports changes of, for example, the number of records. The page therefore
    // renders again when it becomes visible.
    document.addEventListener("visibilitychange", () => document.hidden || this.#changed());
  }

  /** `changed` is called when an answer that the page shows has changed, in any tab. */
  static async open(place: "browser" | "memory", changed: () => void): Promise<Store> {
    const engine = await (place === "browser" ? Rollbook.open("explorer") : Rollbook.memory());
    return new Store(engine, changed);
  }

  static at(server: Server, changed: () => void): Store {
    return new Store(server, changed);
  }

  /** The store of this browser. The sections that use it are not shown for a server. */
  get engine(): Engine {
    if (this.#engine === undefined) throw new Error("The data of a server is not in this browser.");
    return this.#engine;
  }

  /** Ends the live queries of what the page showed before. */
  begin(): void {
    for (const query of this.#shown) void query.return();
    this.#shown = [];
  }

  /** Asks a question, and observes it until the next call of `begin`. */
  async ask<K extends keyof Questions>(
    question: K,
    fields: Questions[K]["asks"],
    at: At = {},
  ): Promise<Answer<Questions[K]["answers"]>> {
    if (this.#engine === undefined) return this.source.ask(question, fields);
    const shown = this.#shown;
    const query = this.#engine.observe(question, fields, at);
    const { value } = await query.next();
    if (value === undefined) throw new Error("The store is closed.");
    if (shown === this.#shown) {
      shown.push(query);
      query.addEventListener("answer", this.#changed);
    } else {
      void query.return();
    }
    return value;
  }

  /** Discards the cached directory and grades. Must be called after each change. */
  forget(): void {
    this.#directory = undefined;
    this.#grades = new Map();
    this.#version += 1;
  }

  /** A number that increases with each change. Data cached for an earlier one may be outdated. */
  get version(): number {
    return this.#version;
  }

  async directory(): Promise<Directory> {
    this.#directory ??= this.server?.directory() ?? this.#read();
    try {
      return await this.#directory;
    } catch (error) {
      this.#directory = undefined;
      throw error;
    }
  }

  /** Returns the names of the grades of a school. They are cached until the next change. */
  async grades(school: string): Promise<Grades> {
    const known = this.#grades;
    const asked = known.get(school) ?? this.#readGrades(school);
    known.set(school, asked);
    try {
      return await asked;
    } catch (error) {
      known.delete(school);
      throw error;
    }
  }

  /** Removes every record. */
  async clear(): Promise<void> {
    const { schools, integrators, apiTypes } = await this.directory();
    for (const { id } of schools) await this.engine.removeSchool(id);
    const deletions = [
      ...integrators.map((username) => ({ type: "integrator", username, deleted: true })),
      ...apiTypes.map((id) => ({ type: "api_type", api_type_id: id, deleted: true })),
      ...(await this.#lookups()),
    ];
    await this.engine.apply(deletions.map((record) => JSON.stringify(record)).join("\n"));
    await this.engine.compact();
  }

  /** Returns the records that delete the lookups, which belong to no school. */
  async #lookups(): Promise<{ type: string; id: string; deleted: true }[]> {
    const kinds = [
      ["ethnicGroup", "ethnic_group"],
      ["maritalStatus", "marital_status"],
      ["gender", "gender"],
      ["language", "language"],
    ] as const;
    const deletions = kinds.map(async ([list, type]) => {
      const records = found(await this.engine.ask("lookup", { list }), []);
      return records.map(({ id }) => ({ type, id, deleted: true as const }));
    });
    return (await Promise.all(deletions)).flat();
  }

  async #readGrades(school: string): Promise<Grades> {
    return new Grades(found(await this.source.ask("grades", { school }), []));
  }

  /** Reads the directory from the start of an export, because no question lists all schools. */
  async #read(): Promise<Directory> {
    const schools: SchoolName[] = [];
    const integrators = new Set<string>();
    const apiTypes: string[] = [];
    const reader = this.engine.export().getReader();
    const decoder = new TextDecoder();
    let rest = "";
    reading: for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const head = JSON.parse(line) as Head;
        if (head.type === "school") {
          schools.push({ id: String(head.school_id), name: head.school_name ?? "" });
        } else if (head.type === "api_type") apiTypes.push(String(head.api_type_id));
        else if (head.username !== undefined) integrators.add(head.username);
        else break reading;
      }
    }
    await reader.cancel();
    return { schools, integrators: [...integrators], apiTypes };
  }
}
