// The page: opens the store, and shows the section that the address names.

import { RollbookError } from "rollbook";
import { ClientsView } from "./clients.js";
import { Clock } from "./clock.js";
import { DataView } from "./data.js";
import { element } from "./element.js";
import { FailureNote } from "./failure.js";
import { LearnerView } from "./learner.js";
import { LearnersView } from "./learners.js";
import { askLogin } from "./login.js";
import { enableOffline } from "./offline.js";
import { RequestsView } from "./requests.js";
import { format, parse, type Query, type Route, type Section } from "./route.js";
import { SchoolsView } from "./schools.js";
import { describedServer, Server } from "./server.js";
import { StaffView } from "./staff.js";
import { Store } from "./store.js";
import type { Page, View } from "./view.js";

const MENU: readonly (readonly [section: Section, title: string])[] = [
  ["data", "Data"],
  ["schools", "Schools"],
  ["clients", "Clients"],
  ["learners", "Learners"],
  ["staff", "Staff"],
  ["requests", "Requests"],
];

const VIEWS: Readonly<Record<Section, new (page: Page) => View>> = {
  data: DataView,
  schools: SchoolsView,
  clients: ClientsView,
  learners: LearnersView,
  learner: LearnerView,
  staff: StaffView,
  requests: RequestsView,
};

const main = byId("main");

class App implements Page {
  readonly store: Store;
  readonly #menu: typeof MENU;
  readonly #views = new Map<Section, View>();
  readonly #links: readonly (readonly [Section, HTMLAnchorElement])[];
  readonly #clock: Clock;
  readonly #failure = new FailureNote();
  #route: Route = parse("");
  #shown: View | undefined;
  #turn = 0;

  constructor(store: Store) {
    this.store = store;
    this.#menu = MENU.filter(([section]) => section !== "data" || store.server === undefined);
    this.#links = this.#menu.map(([section, title]) => [section, element("a", {}, title)]);
    const items = this.#links.map(([, link]) => element("li", {}, link));
    byId("sections").replaceChildren(element("ul", {}, ...items));
    this.#clock = new Clock(byId("clock"), (now) => void this.#setClock(now));
    byId("clock").hidden = store.server?.hasClock === false;
    main.replaceChildren(this.#failure.element);
    window.addEventListener("hashchange", () => void this.again());
    if (store.server === undefined) this.#takeDrops();
  }

  href(section: Section, ids: readonly string[], query: Query = {}): string {
    return format({ section, ids, query, now: this.#route.now });
  }

  refine(query: Query): void {
    this.#replace({ ...this.#route, query });
  }

  setNow(now: Date | undefined): void {
    if (now !== undefined && !Number.isFinite(now.getTime())) return;
    this.#replace({ ...this.#route, now });
  }

  async #setClock(now: Date | undefined): Promise<void> {
    try {
      await this.store.server?.setClock(now);
      this.store.forget();
      this.setNow(now);
    } catch (error) {
      this.#failure.show("The clock was not set.", error);
    }
  }

  async again(): Promise<void> {
    const turn = ++this.#turn;
    this.store.begin();
    const before = this.#route;
    this.#route = parse(location.hash, this.#menu[0]?.[0]);
    const { section, now } = this.#route;
    this.#clock.show(now);
    // The addresses of the links contain the instant of the clock.
    for (const [name, link] of this.#links) {
      link.href = this.href(name, []);
      const isHere = name === section || (name === "learners" && section === "learner");
      if (isHere) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    const view = this.#viewOf(section);
    try {
      const title = await view.show(this.#route);
      if (turn !== this.#turn) return;
      document.title = `${title} – Rollbook explorer`;
      this.#failure.clear();
    } catch (error) {
      if (turn !== this.#turn) return;
      this.#failure.show("This cannot be shown.", error);
    }
    this.#turnTo(view, before);
  }

  #viewOf(section: Section): View {
    let view = this.#views.get(section);
    if (view === undefined) {
      view = new VIEWS[section](this);
      this.#views.set(section, view);
      view.element.hidden = true;
      main.append(view.element);
    }
    return view;
  }

  /** Shows only this view, and moves the focus to the element at which the user continues. */
  #turnTo(view: View, before: Route): void {
    for (const one of this.#views.values()) one.element.hidden = one !== view;
    const isFirst = this.#shown === undefined;
    const isSame = this.#shown === view && before.ids.join("/") === this.#route.ids.join("/");
    this.#shown = view;
    if (isFirst || isSame) return;
    const opened = before.section === "learner" ? before.ids[1] : undefined;
    const link = opened === undefined ? null : linkOf(view, opened);
    if (link === null) window.scrollTo(0, 0);
    (link ?? view.heading).focus();
  }

  #replace(route: Route): void {
    history.replaceState(null, "", format(route));
    void this.again();
  }

  #takeDrops(): void {
    document.addEventListener("dragover", (event) => {
      event.preventDefault();
      document.body.classList.add("dropping");
    });
    const endDrag = (): void => document.body.classList.remove("dropping");
    document.addEventListener("dragleave", (event) => event.relatedTarget === null && endDrag());
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      endDrag();
      const [file] = event.dataTransfer?.files ?? [];
      if (file === undefined) return;
      location.hash = this.href("data", []);
      void (this.#viewOf("data") as DataView).load(file);
    });
  }
}

/** Returns the link to the learner that was open before, in the list of learners. */
const linkOf = (view: View, learner: string): HTMLElement | null =>
  view.element.querySelector(`[data-learner="${CSS.escape(learner)}"]`);

function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page lacks #${id}`);
  return found;
}

async function open(place: "browser" | "memory"): Promise<void> {
  let app: App | undefined;
  try {
    app = new App(await Store.open(place, () => void app?.again()));
  } catch (error) {
    const failure = new FailureNote();
    const isPlaceless = error instanceof RollbookError && error.code === "no_storage";
    const [text, next] = isPlaceless
      ? (["Continue without storing anything", "memory"] as const)
      : (["Try again", place] as const);
    const button = element("button", { type: "button", onclick: () => void open(next) }, text);
    main.replaceChildren(failure.element);
    failure.show("The store cannot be opened.", error, button);
    return;
  }
  await app.again();
}

document.querySelector(".skip")?.addEventListener("click", (event) => {
  // The hash of the address is the route, so the link must not change it.
  event.preventDefault();
  main.focus();
});
const described = describedServer();
if (described === undefined) {
  void enableOffline(byId("offline"));
  await open("browser");
} else {
  byId("place").textContent = `This page shows the data of the server at ${location.origin}.`;
  const { login, clock } = described;
  const server = login === undefined ? await askLogin(main, clock) : new Server(login, clock);
  const app = new App(Store.at(server, () => void app.again()));
  await app.again();
}
