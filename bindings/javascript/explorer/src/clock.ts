// The instant that every question is asked for.

import { element } from "./element.js";

const DAY = 24 * 60 * 60 * 1000;

export class Clock {
  readonly #input = element("input", { type: "datetime-local" });
  readonly #told = element("small", { id: "clock-told" });
  readonly #now: HTMLButtonElement;
  #at: Date | undefined;

  /** `set` hears where the clock is moved; to the present if to nothing. */
  constructor(around: HTMLElement, set: (now: Date | undefined) => void) {
    const button = (text: string, to: () => Date | undefined): HTMLButtonElement =>
      element("button", { type: "button", onclick: () => set(to()) }, text);
    const moved = (by: number) => () => new Date((this.#at ?? new Date()).getTime() + by);
    this.#now = button("Now", () => undefined);
    this.#input.setAttribute("aria-describedby", "clock-told");
    this.#input.addEventListener("change", () => {
      const { value } = this.#input;
      set(value === "" ? undefined : new Date(value));
    });
    around.append(
      element("label", {}, element("span", {}, "Clock"), this.#input),
      button("−1 day", moved(-DAY)),
      button("+1 day", moved(DAY)),
      this.#now,
      this.#told,
    );
  }

  show(now: Date | undefined): void {
    this.#at = now;
    this.#now.setAttribute("aria-disabled", String(now === undefined));
    this.#told.textContent = now === undefined ? "Answers are of now" : universal(now);
    const value = now === undefined ? "" : local(now);
    // A date that is being typed stays.
    if (this.#input.value !== value) this.#input.value = value;
  }
}

const universal = (now: Date): string =>
  `${now.toISOString().slice(0, 16).replace("T", " ")} UTC`;

/** As the field has it: in this device's time, without a zone. */
function local(now: Date): string {
  const shifted = new Date(now.getTime() - now.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}
