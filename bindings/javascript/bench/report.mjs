// Formats the results as tables in Markdown.

import { contenders } from "./contenders.mjs";

const names = contenders.map(({ name }) => name);

/** The times of the questions. Those of other contenders are multiples of the time of Rollbook. */
export function questionsTable(measured, kind) {
  const rows = measured
    .filter((row) => row[kind] !== undefined)
    .map(({ question, bytes, [kind]: times }) => [
      question,
      sizeText(bytes),
      ...contenders.map(({ against }, at) => {
        if (times[at] === undefined) return "";
        return against === undefined ? timeText(times[at]) : ratioText(times[at] / times[against]);
      }),
    ]);
  return table(["question", "answer", ...names], rows);
}

/** The times of loading and reopening, and the stored bytes. */
export function livesTable({ loads, stored, reopened }) {
  return table(
    ["", ...names],
    [
      row("loaded", (_, at) => timeText(loads[at])),
      row("kept for the next visit", (name) => sizeText(stored[name])),
      row("next visit: open to first answer", (_, at) => timeText(reopened[at])),
    ],
  );
}

/** The sizes of the downloads. */
export function weightsTable(weights) {
  return table(
    ["gzipped", ...names],
    [
      row(".wasm", (name) => sizeText(weights[name].wasm)),
      row(".js", (name) => sizeText(weights[name].js)),
    ],
  );
}

function row(title, cell) {
  return [title, ...names.map(cell)];
}

function table(head, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const rule = head.map((_, at) => (at === 0 ? "---" : "--:"));
  return [line(head), line(rule), ...rows.map(line)].join("\n");
}

const three = (number) =>
  number >= 100 ? number.toFixed(0) : number >= 10 ? number.toFixed(1) : number.toFixed(2);

export function timeText(milliseconds) {
  if (milliseconds < 1) return `${three(milliseconds * 1000)} µs`;
  return milliseconds < 1000
    ? `${three(milliseconds)} ms`
    : `${three(milliseconds / 1000)} s`;
}

function ratioText(ratio) {
  return ratio < 1 ? `**${ratio.toFixed(2)}**` : three(ratio);
}

function sizeText(bytes) {
  if (bytes === 0) return "–";
  if (bytes < 1e3) return `${bytes} B`;
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(bytes < 1e4 ? 1 : 0)} KB`;
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
