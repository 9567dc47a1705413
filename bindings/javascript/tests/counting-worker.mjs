// The package's worker, which tells what it says to other tabs: the kind and the size of
// each message.

const { postMessage: say } = BroadcastChannel.prototype;
const counts = new BroadcastChannel("counts");
BroadcastChannel.prototype.postMessage = function (message) {
  say.call(this, message);
  if (this === counts) return;
  const parcels = [message.calls ?? message.replies ?? []].flat();
  const bytes = parcels.reduce((sum, { byteLength }) => sum + byteLength, 0);
  say.call(counts, { kind: message.kind, bytes });
};

// The first message must not be lost while the worker is fetched.
const early = [];
onmessage = (event) => early.push(event);
await import("/dist/worker.js");
for (const event of early) onmessage(event);
