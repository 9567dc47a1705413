// The clock of the page: the instant for which every question is asked.

import { element } from "./element.js";

const DAY = 24 * 60 * 60 * 1000;

export class Clock {
  readonly #input = element("input", { type: "datetime-local" });
  readonly #description = element("small", { id: "clock-description" });
  readonly #now: HTMLButtonElement;
  #at: Date | undefined;

  /** `set` is called with the new instant, or without one for the current time. */
  constructor(around: HTMLElement, set: (now: Date | undefined) => void) {
    const button = (text: string, to: () => Date | undefined): HTMLButtonElement =>
      element("button", { type: "button", onclick: () => set(to()) }, text);
    const moved = (by: number) => () => new Date((this.#at ?? new Date()).getTime() + by);
    this.#now = button("Now", () => undefined);
    this.#input.setAttribute("aria-describedby", "clock-description");
    this.#input.addEventListener("change", () => {
      const { value } = this.#input;
      set(value === "" ? undefined : new Date(value));
    });
    around.append(
      element("label", {}, element("span", {}, "Clock"), this.#input),
      button("−1 day", moved(-DAY)),
      button("+1 day", moved(DAY)),
      this.#now,
      this.#description,
    );
  }

  show(now: Date | undefined): void {
    this.#at = now;
    this.#now.setAttribute("aria-disabled", String(now === undefined));
    this.#description.textContent = now === undefined ? "Answers are for the current time" : universal(now);
    const value = now === undefined ? "" : local(now);
    // Setting an equal value would discard a date that is being typed.
    if (this.#input.value !== value) this.#input.value = value;
  }
}

const universal = (now: Date): string =>
  `${now.toISOString().slice(0, 16).replace("T", " ")} UTC`;

/** Formats an instant for the field: in the time zone of this device, without the zone. */
function local(now: Date): string {
  const shifted = new Date(now.getTime() - now.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}
