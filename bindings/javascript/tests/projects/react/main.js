// Uses the hook of the README in a component.

import { StrictMode, createElement } from "react";
import { createRoot } from "react-dom/client";
import { Rollbook } from "rollbook";
import { useAnswer } from "./use-answer.js";

const engine = await Rollbook.open("hook");
const { observe } = engine;
globalThis.engine = engine;
globalThis.rendered = [];
globalThis.live = 0;
engine.observe = (...given) => {
  const query = observe.apply(engine, given);
  globalThis.live += 1;
  query.addEventListener("end", () => (globalThis.live -= 1));
  return query;
};

function Grades({ school }) {
  const answer = useAnswer(engine, "grades", { school });
  const text = answer?.ok ? answer.json()[0].name : String(answer?.status ?? "");
  globalThis.rendered.push([school, text]);
  return text;
}

const root = createRoot(document.querySelector("pre"));
globalThis.show = (school) => {
  const grades = school === undefined ? null : createElement(Grades, { school });
  root.render(createElement(StrictMode, {}, grades));
};
globalThis.show(1);
