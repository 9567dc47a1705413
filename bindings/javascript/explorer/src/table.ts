// Tables of records. Long ones are divided into pages, so that they render fast.

import { element, type Child } from "./element.js";
import { count, number } from "./format.js";

export interface Column<T> {
  readonly head: string;
  readonly cell: (record: T) => Child;
  readonly isNumber?: boolean;
}

/** Creates a table. The first cell of each row is its header. */
export function table<T>(
  caption: string,
  columns: readonly Column<T>[],
  records: Iterable<T>,
): HTMLElement {
  const heads = columns.map(({ head, isNumber }) =>
    element("th", { scope: "col", class: isNumber && "number" }, head),
  );
  const body = element("tbody");
  for (const record of records) {
    const row = element("tr");
    columns.forEach(({ cell, isNumber }, at) => {
      const given = { class: isNumber && "number" };
      const content = cell(record);
      row.append(
        at === 0
          ? element("th", { scope: "row", ...given }, content)
          : element("td", given, content),
      );
    });
    body.append(row);
  }
  return scrolling(
    caption,
    element(
      "table",
      {},
      element("caption", {}, caption),
      element("thead", {}, element("tr", {}, ...heads)),
      body,
    ),
  );
}

const widths = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    // Only a table that scrolls can be reached with the Tab key.
    if (target.scrollWidth > target.clientWidth) target.setAttribute("tabindex", "0");
    else target.removeAttribute("tabindex");
  }
});

/** Wraps a table so that it scrolls if it is too wide, and the page does not. */
export function scrolling(label: string, content: HTMLTableElement): HTMLElement {
  const around = element("div", { class: "scroll", role: "group", "aria-label": label }, content);
  widths.observe(around);
  return around;
}

const PAGE = 50;

export class PagedTable<T> {
  readonly element: HTMLElement;
  readonly #what: string;
  readonly #columns: readonly Column<T>[];
  readonly #count = element("p", { class: "count", role: "status" });
  readonly #table = element("div");
  readonly #pager: HTMLElement;
  readonly #place = element("span");
  readonly #previous: HTMLButtonElement;
  readonly #next: HTMLButtonElement;
  #records: readonly T[] = [];
  #page = 1;

  /** `turn` is called with the number of the requested page, and must then call `show`. */
  constructor(what: string, columns: readonly Column<T>[], turn: (page: number) => void) {
    this.#what = what;
    this.#columns = columns;
    const button = (text: string, by: number): HTMLButtonElement =>
      element("button", { type: "button", onclick: () => turn(this.#page + by) }, text);
    this.#previous = button("Previous", -1);
    this.#next = button("Next", 1);
    const label = `Pages of ${what}s`;
    const steps = [this.#previous, this.#place, this.#next];
    this.#pager = element("nav", { class: "pager", "aria-label": label }, ...steps);
    this.element = element("div", {}, this.#count, this.#table, this.#pager);
  }

  show(records: readonly T[], page: number, caption: string): void {
    const pages = Math.max(1, Math.ceil(records.length / PAGE));
    this.#records = records;
    this.#page = Math.min(Math.max(1, page || 1), pages);
    const from = (this.#page - 1) * PAGE;
    const rows = this.#records.slice(from, from + PAGE);
    const place = pages === 1 ? "" : `, ${number(from + 1)} to ${number(from + rows.length)} shown`;
    this.#count.textContent = count(records.length, this.#what) + place;
    this.#table.replaceChildren(...(rows.length > 0 ? [table(caption, this.#columns, rows)] : []));
    this.#place.textContent = `Page ${this.#page} of ${pages}`;
    // A disabled button would lose the focus.
    this.#previous.setAttribute("aria-disabled", String(this.#page === 1));
    this.#next.setAttribute("aria-disabled", String(this.#page === pages));
    this.#pager.hidden = pages === 1;
  }
}
