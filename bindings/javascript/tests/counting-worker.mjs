// The package's worker, which also reports the kind and the size of each message that it sends to
// other tabs.

const { postMessage: post } = BroadcastChannel.prototype;
const counts = new BroadcastChannel("counts");
BroadcastChannel.prototype.postMessage = function (message) {
  post.call(this, message);
  if (this === counts) return;
  const parcels = [message.calls ?? message.replies ?? []].flat();
  const bytes = parcels.reduce((sum, { byteLength }) => sum + byteLength, 0);
  post.call(counts, { kind: message.kind, bytes });
};

await import("/dist/worker.js");
