// Caches the page and all its files, so that it opens without a network. The build prepends the
// version and the list of files to this script.

declare const VERSION: string;
declare const FILES: readonly string[];

const scope = globalThis as unknown as ServiceWorkerGlobalScope;
const PREFIX = "explorer-";
const CACHE = PREFIX + VERSION;

/** Returns the file that a request is for. Other requests are not answered from the cache. */
function fileOf(request: Request): string | undefined {
  const { origin, pathname } = new URL(request.url);
  const base = new URL(scope.registration.scope);
  if (request.method !== "GET" || origin !== base.origin) return undefined;
  if (!pathname.startsWith(base.pathname)) return undefined;
  const file = pathname.slice(base.pathname.length) || "index.html";
  return FILES.includes(file) ? file : undefined;
}

async function install(): Promise<void> {
  const cache = await caches.open(CACHE);
  // The browser's own cache is bypassed, because it may contain files of the previous version.
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

scope.addEventListener("install", (event) => event.waitUntil(install()));
scope.addEventListener("activate", (event) => event.waitUntil(clear()));
scope.addEventListener("fetch", (event) => {
  const file = fileOf(event.request);
  if (file !== undefined) event.respondWith(answer(event.request, file));
});
// A new version waits until the user requests it. Open pages continue to use their version.
scope.addEventListener("message", (event) => {
  if (event.data === "take over") event.waitUntil(scope.skipWaiting());
});
