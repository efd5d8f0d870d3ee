// Serves the site where there is no network, and with the headers that threads of WebAssembly need, which GitHub Pages does not send.
// Pages are asked from the network first, so that a new version is seen at once; the program's files from what is kept, since their
// names or the version below change with their content. `kept-files.mjs` writes the version and the list of files.
const KEPT = 'bowyer-VERSION';
const FILES = ['FILES'];
const SHELL = ['./', ...FILES.filter((path) => !path.includes('/'))];
const AT_ONCE = 4;

self.addEventListener('install', (event) => {
  self.skipWaiting();
  event.waitUntil(caches.open(KEPT).then((kept) => kept.addAll(SHELL)));
});

self.addEventListener('activate', (event) => {
  const forget = (names) => Promise.all(names.filter((name) => name !== KEPT).map((name) => caches.delete(name)));
  event.waitUntil(Promise.all([caches.keys().then(forget), self.clients.claim()]));
});

/** Keeps what is not kept yet: the program, and the documentation. */
async function keepAll() {
  const kept = await caches.open(KEPT);
  const known = new Set((await kept.keys()).map(({ url }) => url));
  const missing = FILES.filter((path) => !known.has(new URL(path, self.registration.scope).href));
  const next = async () => {
    for (let path = missing.shift(); path !== undefined; path = missing.shift()) await kept.add(path);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
}
// A page asks for it when it is loaded, since an installation that waited for all files would hold the page back.
self.addEventListener('message', (event) => event.waitUntil(keepAll()));

/** Adds the headers of a page that is isolated from other origins. */
function isolated(response) {
  const headers = new Headers(response.headers);
  headers.set('cross-origin-opener-policy', 'same-origin');
  headers.set('cross-origin-embedder-policy', 'require-corp');
  const { status, statusText } = response;
  return new Response(status === 204 || status === 304 ? null : response.body, { headers, status, statusText });
}

async function answer(request) {
  const kept = await caches.open(KEPT);
  const known = await kept.match(request);
  if (known && request.mode !== 'navigate') return isolated(known);
  try {
    const response = await fetch(request);
    if (response.ok) await kept.put(request, response.clone());
    return isolated(response);
  } catch (error) {
    if (known) return isolated(known);
    throw error;
  }
}

self.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method === 'GET' && new URL(request.url).origin === self.location.origin)
    event.respondWith(answer(request));
});
