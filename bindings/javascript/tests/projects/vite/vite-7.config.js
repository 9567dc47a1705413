export default { optimizeDeps: { exclude: ["rollbook"] } };
