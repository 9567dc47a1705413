import resolve from "@rollup/plugin-node-resolve";

export default {
  input: { main: "main.js", worker: "rollbook/worker" },
  output: { dir: "public" },
  plugins: [resolve({ browser: true })],
};
