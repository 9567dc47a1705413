// The choice of the integrator whose schools and clients are shown.

import { choices, element } from "./element.js";
import type { Page } from "./view.js";

export class IntegratorChoice {
  readonly element = element("select");
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
    this.element.addEventListener("change", () => page.refine({ integrator: this.value }));
  }

  get value(): string {
    return this.element.value;
  }

  /** Offers the integrators of the store. Returns the requested one, or else the first. */
  async show(asked: string | undefined): Promise<string> {
    const { integrators } = await this.#page.store.directory();
    const username = asked ?? integrators[0] ?? "";
    const offered = integrators.includes(username) ? integrators : [...integrators, username];
    choices(this.element, offered.map((name) => [name, name]), username);
    return username;
  }
}
