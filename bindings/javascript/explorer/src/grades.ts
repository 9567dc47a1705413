// What a school calls its grades.

import type { v1 } from "rollbook";

export class Grades {
  readonly #names: ReadonlyMap<string, string>;

  constructor(known: readonly v1.LookupEntry[]) {
    this.#names = new Map(known.map(({ id, name }) => [id, name]));
  }

  /** The long name; made of the short one where the school has none. */
  name(id: string, short: string): string {
    return this.#names.get(id) || (short && `Grade ${short}`);
  }
}
