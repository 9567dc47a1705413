// A service worker that opens engines, and sends the outcomes to the page.

import { Rollbook } from "/dist/index.js";

const outcome = (opened) =>
  opened.then(() => "open", ({ name, code, message }) => ({ name, code, message }));

onmessage = ({ ports: [port] }) => {
  const opened = [outcome(Rollbook.memory()), outcome(Rollbook.open("school"))];
  void Promise.all(opened).then(([memory, open]) => port.postMessage({ memory, open }));
};
