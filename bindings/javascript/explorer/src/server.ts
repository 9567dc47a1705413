// A server that the page asks over HTTP. `rollbook serve` says in the page that it serves that the
// page is about its own data.

import { Answer, RollbookError, type At, type Questions } from "rollbook";
import type { Directory, SchoolName, Source } from "./source.js";

/** The names of the endpoints of v1, by question. `{school}` and `{id}` are parts of the path. */
const PATHS: Readonly<Record<keyof Questions, string>> = {
  learners: "adminplus/learners/{school}",
  absentees: "adminplus/learnerabsentees/{school}",
  parents: "adminplus/parents/{school}",
  staffMembers: "adminplus/staffmembers/{school}",
  schoolInfo: "adminplus/school/{school}",
  discipline: "adminplus/learnerdiscipline/{school}",
  grades: "adminplus/lookup/grade/{school}",
  lookup: "adminplus/lookup/{list}",
  learnerSubjects: "currplus/learnersubjects/{school}",
  subjectsPerTerm: "currplus/learnersubjectsperterm/{school}",
  subjectMarks: "currplus/learnersubjectmarks/{school}",
  assessmentMarks: "currplus/learnerassessmentmarks/{school}",
  financeLearners: "finplus/debtmanagement/learnerparentinfo/{school}",
  accountablePersons: "finplus/debtmanagement/schooldebtors/{school}",
  schools: "finplus/debtmanagement/schools",
  clients: "settings/clients",
};

/** What the server says in the page. */
interface Description {
  /** The login, if it is that of a sample. */
  readonly login?: Login;
  /** Whether the time of the server can be set. */
  readonly clock: boolean;
}

export interface Login {
  readonly username: string;
  readonly password: string;
}

/** Returns what the server says in the page, or `undefined` if the page is on a host of files. */
export function describedServer(): Description | undefined {
  const { server } = document.documentElement.dataset;
  return server === undefined ? undefined : (JSON.parse(server) as Description);
}

export class Server implements Source {
  readonly login: Login;
  /** Whether the time of the server can be set. */
  readonly hasClock: boolean;

  constructor(login: Login, hasClock: boolean) {
    this.login = login;
    this.hasClock = hasClock;
  }

  ask<K extends keyof Questions>(
    question: K,
    fields: Questions[K]["asks"],
    _at?: At,
  ): Promise<Answer<Questions[K]["answers"]>> {
    return this.request(target(question, fields));
  }

  async request<T>(
    target: string,
    given: { method?: string; headers?: [string, string][]; body?: string } = {},
  ): Promise<Answer<T>> {
    const { method = "GET", body = "" } = given;
    const headers = new Headers(given.headers ?? this.#credentials());
    let response: Response;
    try {
      const isPlain = method === "GET" || body === "";
      // The browser's cache would repeat an answer of another time.
      const init: RequestInit = { method, headers, cache: "no-store" };
      response = await fetch(target, isPlain ? init : { ...init, body });
    } catch (cause) {
      throw new Error("The server does not answer: see whether it still runs.", { cause });
    }
    const bytes = new Uint8Array(await response.arrayBuffer());
    const allow = response.headers.get("Allow") ?? undefined;
    return new Answer<T>({ status: response.status, allow, bytes });
  }

  setState({ school, apiTypeId, active }: Parameters<Source["setState"]>[0]): Promise<Answer> {
    const body = `{"api_type_id":${apiTypeId},"state":${active ? 1 : 0}}`;
    const headers = this.#credentials();
    return this.request(`/api/v1/settings/clients/${school}`, { method: "PATCH", headers, body });
  }

  /** Returns the schools that have authorised the integrator. Fails if the login is wrong. */
  async directory(): Promise<Directory> {
    const answer = await this.ask("clients", { username: this.login.username });
    const names = new Map<string, SchoolName>();
    if (answer.ok) {
      for (const { school_login_id: id, school_name: name } of answer.json()) {
        names.set(String(id), { id: String(id), name });
      }
    } else if (answer.status !== 404) {
      const { error_description: text } = answer.json() as unknown as Record<string, string>;
      throw new Error(`The server answers ${answer.status}: ${text}.`);
    }
    const byId = [...names.values()].sort((one, other) => Number(one.id) - Number(other.id));
    return { schools: byId, integrators: [this.login.username], apiTypes: [] };
  }

  /** Sets the time of the server, or resets it. */
  async setClock(now: Date | undefined): Promise<void> {
    const set =
      now === undefined ? { method: "DELETE" } : { method: "PUT", body: now.toISOString() };
    const answer = await this.request("/clock", { headers: [], ...set });
    if (!answer.ok) throw new RollbookError("io", "The time of the server was not set.");
  }

  #credentials(): [string, string][] {
    const { username, password } = this.login;
    return [
      ["HTTP-X-USERNAME", username],
      ["HTTP-X-PASSWORD", password],
    ];
  }
}

/** Returns the target of a question. */
export function target<K extends keyof Questions>(
  question: K,
  fields: Questions[K]["asks"],
): string {
  const { username: _, ...given } = fields as unknown as Record<string, unknown>;
  let path = PATHS[question];
  const query = new URLSearchParams();
  for (const [field, value] of Object.entries(given)) {
    if (value === undefined || value === false) continue;
    const part = `{${field}}`;
    if (path.includes(part)) path = path.replace(part, String(value).toLowerCase());
    else query.set(parameter(field), value === true ? "1" : String(value));
  }
  return `/api/v1/${path}${query.size === 0 ? "" : `?${query}`}`;
}

/** Returns the name of a parameter: `learnerId` is `learner_id`, and `gradeIds` is `grade_id`. */
function parameter(field: string): string {
  const name = field === "gradeIds" ? "gradeId" : field;
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
