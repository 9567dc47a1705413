// The package's worker, in a browser without a private file system.

StorageManager.prototype.getDirectory = async () => {
  throw new DOMException("not here", "SecurityError");
};

await import("/dist/worker.js");
