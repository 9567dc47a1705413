// Shows the API types for which schools have authorised an integrator, and their activation.

import type { v1 } from "rollbook";
import { announce } from "./announce.js";
import { element, labelled } from "./element.js";
import { FailureNote } from "./failure.js";
import { IntegratorChoice } from "./integrator.js";
import type { Route } from "./route.js";
import { found, Refusal } from "./store.js";
import { PagedTable } from "./table.js";
import type { Page, View } from "./view.js";

export class ClientsView implements View {
  readonly element: HTMLElement;
  readonly heading = element("h1", { tabindex: -1 }, "Clients");
  readonly #page: Page;
  readonly #choice: IntegratorChoice;
  readonly #table: PagedTable<v1.Client>;
  readonly #failure = new FailureNote();
  readonly #request = element("a", {}, "Send a request");
  #turn = 0;

  constructor(page: Page) {
    this.#page = page;
    this.#choice = new IntegratorChoice(page);
    this.#table = new PagedTable<v1.Client>(
      "client integration",
      [
        { head: "School", cell: ({ school_name }) => school_name },
        { head: "Id", cell: ({ school_login_id }) => school_login_id, isNumber: true },
        { head: "API type", cell: ({ api_type }) => api_type },
        { head: "Type id", cell: ({ api_type_id }) => String(api_type_id), isNumber: true },
        { head: "Activated", cell: (client) => this.#toggle(client) },
      ],
      (wanted) => page.refine({ integrator: this.#choice.value, page: String(wanted) }),
    );
    this.element = element(
      "section",
      { "aria-label": "Clients" },
      this.heading,
      element("div", { class: "filters" }, labelled("Integrator", this.#choice.element)),
      this.#failure.element,
      this.#table.element,
      element(
        "p",
        { class: "quiet" },
        "A request needs one activated API type of its family: without it the answer is 403. ",
        this.#request,
        " to see it.",
      ),
    );
  }

  async show({ query, now }: Route): Promise<string> {
    const turn = ++this.#turn;
    const username = await this.#choice.show(query["integrator"]);
    const answer = await this.#page.store.ask("clients", { username }, now && { now });
    if (turn === this.#turn) {
      this.#failure.clear();
      this.#request.href = this.#page.href("requests", []);
      const focused = document.activeElement?.getAttribute("aria-label");
      this.#table.show(found(answer, []), Number(query["page"]), `Clients of ${username}`);
      // The table was rendered again, so the switch that had the focus is a new element.
      const switches = this.#table.element.querySelectorAll<HTMLElement>("[role=switch]");
      [...switches].find((one) => one.ariaLabel === focused)?.focus();
    }
    return "Clients";
  }

  #toggle(client: v1.Client): HTMLElement {
    const label = `${client.api_type} of ${client.school_name}`;
    const toggle = element("button", { type: "button", role: "switch", "aria-label": label });
    const isActive = client.activated_by_integrator === "Yes";
    toggle.setAttribute("aria-checked", String(isActive));
    toggle.textContent = isActive ? "Yes" : "No";
    toggle.addEventListener("click", () => void this.#set(client, !isActive));
    return toggle;
  }

  async #set(client: v1.Client, active: boolean): Promise<void> {
    const { source } = this.#page.store;
    const { school_login_id: school, api_type_id: apiTypeId } = client;
    this.#failure.clear();
    try {
      const username = this.#choice.value;
      const answer = await source.setState({ username, school, apiTypeId, active });
      if (!answer.ok) throw new Refusal(answer);
      this.#page.store.forget();
      announce(`${client.api_type} is ${active ? "activated" : "not activated any more"}.`);
    } catch (error) {
      this.#failure.show("The state was not set.", error);
    }
  }
}
