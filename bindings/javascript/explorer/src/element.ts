// Creates elements. Values of a dataset become text, and never markup.

export type Child = Node | string | undefined;
type Value = string | number | boolean | undefined | ((event: Event) => void);

/** Creates an element with attributes and children. An attribute `on…` adds a listener. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, Value>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") made.addEventListener(attribute.slice(2), value);
    else made.setAttribute(attribute, value === true ? "" : String(value));
  }
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

let controls = 0;

/** Adds a label to a control, and a hint that describes it. */
export function labelled(label: string, control: HTMLElement, hint?: string): HTMLElement {
  controls += 1;
  control.id = `control-${controls}`;
  const field = element("div", { class: "field" }, element("label", { for: control.id }, label));
  field.append(control);
  if (hint !== undefined) {
    const id = `${control.id}-hint`;
    control.setAttribute("aria-describedby", id);
    field.append(element("small", { id }, hint));
  }
  return field;
}

/** Replaces the options of a select, and selects one of them. */
export function choices(
  select: HTMLSelectElement,
  options: readonly (readonly [value: string, text: string])[],
  selected: string,
): void {
  const made = options.map(([value, text]) => element("option", { value }, text));
  select.replaceChildren(...made);
  select.value = selected;
}
