// The package's worker, in a browser that gives no private file system.

StorageManager.prototype.getDirectory = async () => {
  throw new DOMException("not here", "SecurityError");
};

// The first message must not be lost while the worker is fetched.
const early = [];
onmessage = (event) => early.push(event);
await import("/dist/worker.js");
for (const event of early) onmessage(event);
