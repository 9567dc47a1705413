// Formats numbers, sizes and times.

const whole = new Intl.NumberFormat("en");
const tenth = new Intl.NumberFormat("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });

export const number = (value: number): string => whole.format(value);

/** Formats a number with its noun: `1 learner`, `1,000 learners`. */
export function count(value: number, one: string, many = `${one}s`): string {
  return `${whole.format(value)} ${value === 1 ? one : many}`;
}

export function size(bytes: number): string {
  if (bytes < 1000) return count(bytes, "byte");
  if (bytes < 1_000_000) return `${tenth.format(bytes / 1000)} KB`;
  return `${tenth.format(bytes / 1_000_000)} MB`;
}

export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${tenth.format(milliseconds)} ms`;
  return `${tenth.format(milliseconds / 1000)} s`;
}

/** Formats the name of a kind of record: `learner_subject` becomes `learner subject`. */
export const kindName = (kind: string): string => kind.replaceAll("_", " ");
