// Sends any request, as the client of an integrator would, and shows the answer.

import type { Answer } from "rollbook";
import { element, labelled } from "./element.js";
import { FailureNote } from "./failure.js";
import { duration, number } from "./format.js";
import { EXAMPLES, type Example } from "./examples.js";
import type { Route } from "./route.js";
import type { Page, View } from "./view.js";

const METHODS = ["GET", "PATCH", "POST", "PUT", "DELETE"];

const STATUS_NAMES: Readonly<Record<number, string>> = {
  200: "OK",
  204: "No Content",
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  422: "Unprocessable Content",
  500: "Internal Server Error",
};

/** The login of the sample school. */
const DEMO = { username: "demo", password: "demo" };

const MEASURED =
  "from the call to the bytes, through the store's worker; a password's first check is slow";

/** The number of characters that are shown at first. Longer texts take seconds to lay out. */
const SHOWN = 200_000;

export class RequestsView implements View {
  readonly element: HTMLElement;
  readonly heading = element("h1", { tabindex: -1 }, "Requests");
  readonly #page: Page;
  readonly #examples = element("select");
  readonly #method = element("select");
  readonly #target = element("input", { type: "text", required: true, spellcheck: "false" });
  readonly #headers = element("textarea", { rows: 3, spellcheck: "false" });
  readonly #body = element("textarea", { rows: 3, spellcheck: "false" });
  readonly #failure = new FailureNote();
  readonly #status = element("p", { class: "answer-status", role: "status" });
  readonly #pretty = element("input", { type: "radio", name: "form", checked: true });
  readonly #raw = element("input", { type: "radio", name: "form" });
  readonly #text = element("pre", {
    tabindex: 0,
    role: "region",
    "aria-label": "Body of the answer",
  });
  readonly #all = element("button", { type: "button", hidden: true }, "Show all of it");
  readonly #answered: HTMLElement;
  #route: Route | undefined;
  #answer: Answer<unknown> | undefined;

  constructor(page: Page) {
    this.#page = page;
    this.#method.append(...METHODS.map((method) => element("option", {}, method)));
    const titles = EXAMPLES.map(({ title }, at) => element("option", { value: at }, title));
    this.#examples.append(...titles);
    this.#examples.addEventListener("change", () => {
      this.#fill(EXAMPLES[Number(this.#examples.value)]);
    });
    this.#fill(EXAMPLES[0]);
    for (const choice of [this.#pretty, this.#raw]) {
      choice.addEventListener("change", () => this.#write(SHOWN));
    }
    this.#all.addEventListener("click", () => {
      this.#write(Infinity);
      this.#text.focus();
    });
    const form = element(
      "form",
      { class: "request" },
      labelled("Example", this.#examples),
      element(
        "div",
        { class: "line" },
        labelled("Method", this.#method),
        labelled("Target: path and query", this.#target),
      ),
      element(
        "div",
        { class: "columns" },
        labelled("Headers, one a line", this.#headers),
        labelled("Body", this.#body),
      ),
      element("p", {}, element("button", { class: "main" }, "Send")),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#send();
    });
    this.#answered = element(
      "div",
      { hidden: true },
      element("h2", {}, "Answer"),
      this.#status,
      element(
        "fieldset",
        { class: "forms" },
        element("legend", { class: "visually-hidden" }, "How the body is shown"),
        element("label", {}, this.#pretty, "Pretty"),
        element("label", {}, this.#raw, "Raw"),
      ),
      this.#text,
      this.#all,
    );
    const label = { "aria-label": "Requests" };
    const answered = [this.#failure.element, this.#answered];
    this.element = element("section", label, this.heading, form, ...answered);
  }

  async show(route: Route): Promise<string> {
    // Only the clock has changed, or sending the request has changed the address.
    const isSame = this.#route?.query["target"] === route.query["target"];
    this.#route = route;
    const { method, target } = route.query;
    if (target !== undefined && !isSame) {
      this.#target.value = target;
      this.#method.value = METHODS.find((one) => one === method) ?? "GET";
    }
    return "Requests";
  }

  #fill(example: Example | undefined): void {
    if (example === undefined) return;
    const { method = "GET", target, headers = [], body = "" } = example;
    const { username, password } = this.#page.store.server?.login ?? DEMO;
    const credentials = [`HTTP-X-USERNAME: ${username}`, `HTTP-X-PASSWORD: ${password}`];
    this.#method.value = method;
    this.#target.value = target;
    this.#headers.value = [...credentials, ...headers].join("\n");
    this.#body.value = body;
  }

  async #send(): Promise<void> {
    const [method, target] = [this.#method.value, this.#target.value];
    this.#failure.clear();
    this.#status.textContent = "Sending…";
    try {
      const headers = headersOf(this.#headers.value);
      const now = this.#route?.now;
      const given = { method, headers, body: this.#body.value, ...(now && { now }) };
      const began = performance.now();
      const answer = await this.#page.store.source.request(target, given);
      this.#show(answer, performance.now() - began);
      this.#page.refine({ method: method === "GET" ? undefined : method, target });
      // The only change that a request can make is a state update.
      if (method !== "GET" && answer.ok) this.#page.store.forget();
    } catch (error) {
      this.#answered.hidden = true;
      this.#failure.show("The request was not sent.", error);
    }
  }

  #show(answer: Answer<unknown>, time: number): void {
    this.#answer = answer;
    const { status, bytes } = answer;
    const name = STATUS_NAMES[status] ?? "";
    const allow = answer.headers.find(([header]) => header === "Allow");
    const parts = [
      element("strong", { class: answer.ok ? "good" : "bad" }, `${status} ${name}`.trim()),
      `${number(bytes.byteLength)} bytes`,
      duration(time),
      ...(allow === undefined ? [] : [`Allow: ${allow[1]}`]),
    ];
    this.#status.replaceChildren(
      ...parts.map((part) => element("span", {}, part)),
      ...(this.#page.store.server === undefined ? [element("small", {}, MEASURED)] : []),
    );
    this.#answered.hidden = false;
    this.#write(SHOWN);
  }

  #write(most: number): void {
    const raw = this.#answer?.text() ?? "";
    const text = this.#raw.checked ? raw : pretty(raw);
    this.#text.classList.toggle("wrapped", this.#raw.checked);
    this.#all.hidden = text.length <= most;
    this.#text.textContent = text.length <= most ? text : `${text.slice(0, most)}\n…`;
    this.#all.textContent = `Show all ${number(text.length)} characters`;
  }
}

/** Parses headers from lines of the form `Name: value`. */
function headersOf(text: string): [string, string][] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const at = line.indexOf(":");
      if (at < 1) throw new Error(`A header is a name, a colon and a value: correct “${line}”.`);
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    });
}

/** Indents JSON. `JSON.parse` is not used, because it reorders members whose names are numbers. */
function pretty(json: string): string {
  let depth = 0;
  let out = "";
  const tokens = json.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^{}[\],:"\s]+/g) ?? [];
  tokens.forEach((token, at) => {
    const line = (): string => `\n${"  ".repeat(depth)}`;
    if (token === "{" || token === "[") {
      depth += 1;
      const isEmpty = tokens[at + 1] === "}" || tokens[at + 1] === "]";
      out += isEmpty ? token : token + line();
    } else if (token === "}" || token === "]") {
      depth -= 1;
      const isEmpty = tokens[at - 1] === "{" || tokens[at - 1] === "[";
      out += isEmpty ? token : line() + token;
    } else if (token === ",") out += token + line();
    else out += token === ":" ? ": " : token;
  });
  return out;
}
