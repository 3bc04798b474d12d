// Keeps the page for times without a network: exactly the files of one build, each known by its digest. It answers for those
// and for nothing else, asks for nothing by itself, and a newer build waits until no tab has this one.
// `cargo dev build` writes what is kept between the marks.

/* build */
const BUILD = 'none';
const FILES = {};
/* end of build */

const HERE = new URL('./', location.href).href;
/// Caches belong to the whole origin, where other sites may lie.
const OURS = `switchyard ${HERE} `;
const NAME = OURS + BUILD;

/// The file of an address; the page itself is the empty path. Queries only make browsers ask anew.
function fileOf(address) {
  const [bare] = address.split(/[?#]/);
  if (!bare.startsWith(HERE)) return undefined;
  const file = bare.slice(HERE.length);
  const known = file === 'index.html' ? '' : file;
  return Object.hasOwn(FILES, known) ? known : undefined;
}

/// What is named by its content may come from the browser's cache; of all else the host is asked whether it is the same.
const mode = file => /-[0-9a-f]{12,}[-._]/.test(file) ? 'default' : 'no-cache';

async function keep(cache, file) {
  // A file of another build has another digest: then nothing is kept, and the next visit tries again.
  const answer = await fetch(HERE + file, { integrity: FILES[file], cache: mode(file) });
  if (!answer.ok) throw new Error(`the host answered ${answer.status} for ${HERE + file}`);
  // A browser shows no page that was redirected to when it asked for none.
  const plain = answer.redirected ? new Response(answer.body, { headers: answer.headers }) : answer;
  await cache.put(HERE + file, plain);
}

async function kept(request, file) {
  const cache = await caches.open(NAME);
  return await cache.match(HERE + file, { ignoreVary: true }) ?? fetch(request);
}

addEventListener('install', event => event.waitUntil((async () => {
  const cache = await caches.open(NAME);
  try {
    await Promise.all(Object.keys(FILES).map(file => keep(cache, file)));
  } catch (error) {
    await caches.delete(NAME);
    throw error;
  }
})()));

// Now no tab has an earlier build.
addEventListener('activate', event => event.waitUntil((async () => {
  const earlier = (await caches.keys()).filter(name => name.startsWith(OURS) && name !== NAME);
  await Promise.all(earlier.map(name => caches.delete(name)));
})()));

addEventListener('fetch', event => {
  const file = event.request.method === 'GET' ? fileOf(event.request.url) : undefined;
  if (file !== undefined) event.respondWith(kept(event.request, file));
});

// A tab wants this build now. It gets it if it is the only one: the answer is how many others there are.
addEventListener('message', event => event.waitUntil((async () => {
  const tabs = await clients.matchAll({ type: 'window', includeUncontrolled: true });
  const others = tabs.filter(tab => tab.url.startsWith(HERE) && tab.id !== event.source.id).length;
  event.ports[0].postMessage(others);
  if (others === 0) await skipWaiting();
})()));
