// The interfaces between the sections and the page around them.

import type { Query, Route } from "./route.js";
import type { Store } from "./store.js";

export interface View {
  readonly element: HTMLElement;
  /** The heading, which receives the focus when the user changes to this section. */
  readonly heading: HTMLElement;
  /** Shows a route of this section. Returns the title of the page. */
  show(route: Route): Promise<string>;
}

/** The page, as its sections use it. */
export interface Page {
  readonly store: Store;
  /** Returns the address of a route with the same instant of the clock. */
  href(section: Route["section"], ids: readonly string[], query?: Query): string;
  /** Replaces the query of the current route, without an entry in the history. */
  refine(query: Query): void;
  /** Sets the clock. */
  setNow(now: Date | undefined): void;
  /** Renders the current route again, from the current content of the store. */
  again(): Promise<void>;
}
