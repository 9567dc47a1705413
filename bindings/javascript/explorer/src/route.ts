// The route of the page in the hash of its address: `#/learners/1000?name=smith&now=…`.

export const SECTIONS = [
  "data",
  "schools",
  "clients",
  "learners",
  "learner",
  "staff",
  "requests",
] as const;
export type Section = (typeof SECTIONS)[number];
export type Query = Readonly<Record<string, string | undefined>>;

export interface Route {
  readonly section: Section;
  /** The ids after the section: that of a school, and that of a learner. */
  readonly ids: readonly string[];
  readonly query: Query;
  /** The instant for which every question is asked. The default is the current time. */
  readonly now: Date | undefined;
}

/** `first` is the section of an address that names none. */
export function parse(hash: string, first: Section = "data"): Route {
  const [path = "", search = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [name, ...ids] = path.split("/").map(decode);
  const { now, ...query } = Object.fromEntries(new URLSearchParams(search));
  const instant = now === undefined ? undefined : new Date(now);
  return {
    section: SECTIONS.find((section) => section === name) ?? first,
    ids,
    query,
    now: instant !== undefined && Number.isFinite(instant.getTime()) ? instant : undefined,
  };
}

/** Returns the hash of a route, without empty parameters. */
export function format({ section, ids, query, now }: Route): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") search.set(name, value);
  }
  if (now !== undefined) search.set("now", now.toISOString());
  const path = [section, ...ids].map(encodeURIComponent).join("/");
  return search.size === 0 ? `#/${path}` : `#/${path}?${search}`;
}

/** Decodes a part of the hash. An invalid part is returned unchanged, and finds no learner. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
