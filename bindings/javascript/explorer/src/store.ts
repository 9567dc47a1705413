// The store of this browser, and who is in it.

import { Rollbook, type Answer, type At, type Engine, type LiveQuery, type Questions } from "rollbook";
import { Grades } from "./grades.js";

export interface SchoolName {
  readonly id: string;
  readonly name: string;
}

/** Whom one can ask about. */
export interface Directory {
  readonly schools: readonly SchoolName[];
  readonly integrators: readonly string[];
  readonly apiTypes: readonly string[];
}

/** The API refuses what it was asked. */
export class Refusal extends Error {
  constructor(answer: Answer<unknown>) {
    const { error, error_description } = answer.json() as Record<string, string>;
    super(`The engine answers ${answer.status} ${error}: ${error_description}.`);
  }
}

/** What a question finds; what stands for nothing if it finds nothing. */
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
  readonly engine: Engine;
  readonly #changed: () => void;
  /** What the page shows: when it is another, the page shows it again. */
  #shown: LiveQuery[] = [];
  #directory: Promise<Directory> | undefined;
  #grades = new Map<string, Promise<Grades>>();
  #version = 0;

  private constructor(engine: Engine, changed: () => void) {
    this.engine = engine;
    this.#changed = () => {
      this.forget();
      changed();
    };
    // What no question tells, such as how much there is, is looked at when somebody does.
    document.addEventListener("visibilitychange", () => document.hidden || this.#changed());
  }

  /** `changed` hears of what shown answers become, whoever changes them. */
  static async open(place: "browser" | "memory", changed: () => void): Promise<Store> {
    const engine = await (place === "browser" ? Rollbook.open("explorer") : Rollbook.memory());
    return new Store(engine, changed);
  }

  /** The page begins to show something: what was shown before need not be watched any more. */
  begin(): void {
    for (const query of this.#shown) void query.return();
    this.#shown = [];
  }

  /** Asks for what is to be shown, and watches it as long as it is. */
  async ask<K extends keyof Questions>(
    question: K,
    fields: Questions[K]["asks"],
    at: At = {},
  ): Promise<Answer<Questions[K]["answers"]>> {
    const shown = this.#shown;
    const query = this.engine.observe(question, fields, at);
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

  /** To be called after each change: what was learnt before may be old. */
  forget(): void {
    this.#directory = undefined;
    this.#grades = new Map();
    this.#version += 1;
  }

  /** Another number after each change: what was learnt under one before may be old. */
  get version(): number {
    return this.#version;
  }

  async directory(): Promise<Directory> {
    this.#directory ??= this.#read();
    try {
      return await this.#directory;
    } catch (error) {
      this.#directory = undefined;
      throw error;
    }
  }

  /** Asked once, until something changes. */
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
    const gone = [
      ...integrators.map((username) => ({ type: "integrator", username, deleted: true })),
      ...apiTypes.map((id) => ({ type: "api_type", api_type_id: id, deleted: true })),
      ...(await this.#lookups()),
    ];
    await this.engine.apply(gone.map((record) => JSON.stringify(record)).join("\n"));
    await this.engine.compact();
  }

  /** What removes the lookups, which are no school's. */
  async #lookups(): Promise<{ type: string; id: string; deleted: true }[]> {
    const kinds = [
      ["ethnicGroup", "ethnic_group"],
      ["maritalStatus", "marital_status"],
      ["gender", "gender"],
      ["language", "language"],
    ] as const;
    const gone = kinds.map(async ([list, type]) => {
      const records = found(await this.engine.ask("lookup", { list }), []);
      return records.map(({ id }) => ({ type, id, deleted: true as const }));
    });
    return (await Promise.all(gone)).flat();
  }

  async #readGrades(school: string): Promise<Grades> {
    return new Grades(found(await this.engine.ask("grades", { school }), []));
  }

  /** No question names every school: an export does, in its first lines. */
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
