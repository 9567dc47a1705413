// Makes elements. What comes from a dataset becomes text, never markup.

export type Child = Node | string | undefined;
type Value = string | number | boolean | undefined | ((event: Event) => void);

/** An element with its attributes (`on…` listens) and what it holds. */
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

/** A control under its label; a hint describes it. */
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

/** Gives a select its options, and keeps what is selected if that is still there. */
export function choices(
  select: HTMLSelectElement,
  options: readonly (readonly [value: string, text: string])[],
  selected: string,
): void {
  const made = options.map(([value, text]) => element("option", { value }, text));
  select.replaceChildren(...made);
  select.value = selected;
}
