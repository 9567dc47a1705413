// Where the page has its data from: the store of this browser, or a server.

import type { Answer, At, Questions } from "rollbook";

export interface SchoolName {
  readonly id: string;
  readonly name: string;
}

/** The schools, integrators and API types of a source. */
export interface Directory {
  readonly schools: readonly SchoolName[];
  readonly integrators: readonly string[];
  readonly apiTypes: readonly string[];
}

/** What the sections ask. An engine and a server both answer. */
export interface Source {
  ask<K extends keyof Questions>(
    question: K,
    fields: Questions[K]["asks"],
    at?: At,
  ): Promise<Answer<Questions[K]["answers"]>>;
  request(
    target: string,
    given: { method: string; headers: [string, string][]; body: string; now?: Date },
  ): Promise<Answer<unknown>>;
  setState(state: {
    username: string;
    school: string;
    apiTypeId: number | string;
    active: boolean;
  }): Promise<Answer<unknown>>;
}
