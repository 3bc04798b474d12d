// Takes the place of `sw.js` where the page must come from the host each time: it removes what was kept here, and itself.
// `cargo dev serve` and `switchyard serve DIR` do that; so can any host that no longer wants the page to be kept.

addEventListener('install', () => skipWaiting());

addEventListener('activate', event => event.waitUntil((async () => {
  const ours = `switchyard ${new URL('./', location.href).href} `;
  const names = (await caches.keys()).filter(name => name.startsWith(ours));
  await Promise.all(names.map(name => caches.delete(name)));
  const tabs = await clients.matchAll({ type: 'window' });
  await registration.unregister();
  for (const tab of tabs) tab.navigate(tab.url);
})()));
