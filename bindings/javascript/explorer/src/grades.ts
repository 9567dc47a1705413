// The names of the grades of a school.

import type { v1 } from "rollbook";

export class Grades {
  readonly #names: ReadonlyMap<string, string>;

  constructor(known: readonly v1.LookupEntry[]) {
    this.#names = new Map(known.map(({ id, name }) => [id, name]));
  }

  /** Returns the long name of a grade, or one made from the short name if there is none. */
  name(id: string, short: string): string {
    return this.#names.get(id) || (short && `Grade ${short}`);
  }
}
