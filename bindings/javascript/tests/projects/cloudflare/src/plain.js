// The package `rollbook` cannot locate its module here. Its error says what to use.

import { Rollbook } from "rollbook";

export default {
  fetch: async () => new Response(await Rollbook.memory().catch(({ code, message }) => `${code}: ${message}`)),
};
