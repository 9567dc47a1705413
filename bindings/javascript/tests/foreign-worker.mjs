// The package's worker, to which every other tab is one of another version.

const descriptor = Object.getOwnPropertyDescriptor(BroadcastChannel.prototype, "onmessage");
Object.defineProperty(BroadcastChannel.prototype, "onmessage", {
  ...descriptor,
  set(listener) {
    descriptor.set.call(this, ({ data }) => {
      listener({ data: data.kind === "leads" ? { ...data, protocol: 0 } : data });
    });
  },
});

// Chromium may lose an abort that comes at once, and so does this worker every time.
const { request } = LockManager.prototype;
LockManager.prototype.request = function (name, options, ...rest) {
  if (typeof options === "object") delete options.signal;
  return request.call(this, name, options, ...rest);
};

// The first message must not be lost while the worker is fetched.
const early = [];
onmessage = (event) => early.push(event);
await import("/dist/worker.js");
for (const event of early) onmessage(event);
