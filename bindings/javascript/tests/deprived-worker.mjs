// The package's worker, in a browser without a private file system.

StorageManager.prototype.getDirectory = async () => {
  throw new DOMException("not here", "SecurityError");
};

// Messages that arrive while the worker is being imported are delivered afterwards.
const early = [];
onmessage = (event) => early.push(event);
await import("/dist/worker.js");
for (const event of early) onmessage(event);
