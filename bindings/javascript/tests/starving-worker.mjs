// The package's worker, whose module gets no more memory from a certain write on.

let exports;
let writes = 0;
let limit = Infinity;
let starved = false;
let unflushed = 0;
/** The number of unflushed writes when the module without memory was replaced by a new one. */
let unflushedAtCrash;

const Real = WebAssembly.Instance;
WebAssembly.Instance = class extends Real {
  constructor(module, imports) {
    super(module, imports);
    exports = this.exports;
    if (starved) unflushedAtCrash ??= unflushed;
  }
};

/** Allocates smaller and smaller pieces until no more memory is available. */
function exhaust(take, size) {
  for (; size >= 1; size >>= 1) {
    try {
      for (;;) take(size);
    } catch {
      // A piece of this size is not available any more.
    }
  }
}

const { write, flush } = FileSystemSyncAccessHandle.prototype;
FileSystemSyncAccessHandle.prototype.write = function (...given) {
  writes += 1;
  unflushed += 1;
  const written = write.apply(this, given);
  if (writes === limit) {
    limit = Infinity;
    starved = true;
    // Exhausts both the memory by which the module could grow and the free part of its heap.
    exhaust((pages) => exports.memory.grow(pages), 1 << 15);
    exhaust((bytes) => exports.__wbindgen_malloc(bytes, 8), 1 << 26);
  }
  return written;
};
FileSystemSyncAccessHandle.prototype.flush = function () {
  unflushed = 0;
  flush.call(this);
};

const channel = new BroadcastChannel("starve");
channel.onmessage = ({ data }) => {
  if (data.report) channel.postMessage(unflushedAtCrash ?? unflushed);
  else limit = writes + data.afterWrites;
};

await import("/dist/worker.js");
