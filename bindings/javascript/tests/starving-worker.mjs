// The package's worker, in a world that gives its module no more memory from some
// write on.

let exports;
let writes = 0;
let limit = Infinity;
let starved = false;
let unflushed = 0;
/** What was not flushed when the module that had no memory left gave way to a fresh one. */
let left;

const Real = WebAssembly.Instance;
WebAssembly.Instance = class extends Real {
  constructor(module, imports) {
    super(module, imports);
    exports = this.exports;
    if (starved) left ??= unflushed;
  }
};

/** Takes pieces, smaller and smaller, until none is left. */
function exhaust(take, size) {
  for (; size >= 1; size >>= 1) {
    try {
      for (;;) take(size);
    } catch {
      // Not so large any more.
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
    // All that it could grow by, and all that it has free.
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
  if (data.report) channel.postMessage(left ?? unflushed);
  else limit = writes + data.afterWrites;
};

// The first message must not be lost while the worker is fetched.
const early = [];
onmessage = (event) => early.push(event);
await import("/dist/worker.js");
for (const event of early) onmessage(event);
