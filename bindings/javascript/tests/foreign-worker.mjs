// The package's worker, for which every other tab runs another version.

const descriptor = Object.getOwnPropertyDescriptor(BroadcastChannel.prototype, "onmessage");
Object.defineProperty(BroadcastChannel.prototype, "onmessage", {
  ...descriptor,
  set(listener) {
    descriptor.set.call(this, ({ data }) => {
      listener({ data: data.kind === "leads" ? { ...data, protocol: 0 } : data });
    });
  },
});

// Chromium may lose an abort that immediately follows the request. This worker always loses it.
const { request } = LockManager.prototype;
LockManager.prototype.request = function (name, options, ...rest) {
  if (typeof options === "object") delete options.signal;
  return request.call(this, name, options, ...rest);
};

await import("/dist/worker.js");
