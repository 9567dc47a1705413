// What every section of the page is.

import type { Query, Route } from "./route.js";
import type { Store } from "./store.js";

export interface View {
  readonly element: HTMLElement;
  /** Takes the focus when one comes from another section. */
  readonly heading: HTMLElement;
  /** Shows a place in it; the title of the page. */
  show(route: Route): Promise<string>;
}

/** What a section may do with the page around it. */
export interface Page {
  readonly store: Store;
  /** The address of a place, at the same clock. */
  href(section: Route["section"], ids: readonly string[], query?: Query): string;
  /** Goes on at the same place with another query: no step to come back from. */
  refine(query: Query): void;
  /** Sets the clock. */
  setNow(now: Date | undefined): void;
  /** Shows the place again, from what the store now holds. */
  again(): Promise<void>;
}
