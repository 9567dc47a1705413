// Keeps the page and all that it needs, so that it opens without a network. The build puts
// the version and the list of files before this script.

declare const VERSION: string;
declare const FILES: readonly string[];

const scope = globalThis as unknown as ServiceWorkerGlobalScope;
const PREFIX = "explorer-";
const CACHE = PREFIX + VERSION;

/** Whether a request is for one of the files: all else is left to the network. */
function fileOf(request: Request): string | undefined {
  const { origin, pathname } = new URL(request.url);
  const base = new URL(scope.registration.scope);
  if (request.method !== "GET" || origin !== base.origin) return undefined;
  if (!pathname.startsWith(base.pathname)) return undefined;
  const file = pathname.slice(base.pathname.length) || "index.html";
  return FILES.includes(file) ? file : undefined;
}

async function keep(): Promise<void> {
  const cache = await caches.open(CACHE);
  // Past the browser's own cache, which may hold files of the version before.
  await cache.addAll(FILES.map((file) => new Request(file, { cache: "reload" })));
}

async function clear(): Promise<void> {
  for (const name of await caches.keys()) {
    if (name.startsWith(PREFIX) && name !== CACHE) await caches.delete(name);
  }
  await scope.clients.claim();
}

async function answer(request: Request, file: string): Promise<Response> {
  const cache = await caches.open(CACHE);
  return (await cache.match(file, { ignoreVary: true })) ?? fetch(request);
}

scope.addEventListener("install", (event) => event.waitUntil(keep()));
scope.addEventListener("activate", (event) => event.waitUntil(clear()));
scope.addEventListener("fetch", (event) => {
  const file = fileOf(event.request);
  if (file !== undefined) event.respondWith(answer(event.request, file));
});
// A new version waits until somebody asks for it: the pages that are open keep theirs.
scope.addEventListener("message", (event) => {
  if (event.data === "take over") event.waitUntil(scope.skipWaiting());
});
