// Starts the page's program and loads the script and program of its workers; the attributes of this script's element name
// the files. Until the program runs, keeps what the user drops or picks on the start page. Reports a crash of the program,
// which cannot do so itself. It is a file because the content security policy forbids inline scripts.

const start = performance.now();
const script = document.querySelector('script[data-wasm]');
const absolute = path => new URL(path, document.baseURI).href;
let started = false;

function fatal(text) {
  if (document.querySelector('dialog.fatal')) return; // a panic causes two events: its message, then a trap
  const dialog = document.createElement('dialog');
  dialog.className = 'fatal';
  const message = document.createElement('p');
  message.textContent = (started ? 'The page has crashed and has to be loaded again. ' : 'The page could not be started. ') + text;
  const reload = document.createElement('button');
  reload.textContent = 'Reload';
  reload.addEventListener('click', () => location.reload());
  dialog.append(message, reload);
  document.body.append(dialog);
  dialog.showModal();
}

addEventListener('switchyard-fatal', event => fatal(event.detail));
addEventListener('error', event => {
  if (event.error instanceof WebAssembly.RuntimeError) fatal(event.message);
});

// The user's last action before the program ran: its kind and value. It replaces earlier ones, as it would in the program.
let pendingAction = null;
let onAction = null; // the program's callback
const untilTakeover = new AbortController();
const listen = (target, kind, handler) => target?.addEventListener(kind, handler, { signal: untilTakeover.signal });
const byId = id => document.getElementById(id);

function report(kind, value) {
  if (onAction) return void onAction(kind, value); // the folder picker was open when the program started
  pendingAction = [kind, value];
  document.documentElement.dataset.given = '';
}

// Passes the pending action to the program, which handles later events itself.
function takeOver(callback) {
  untilTakeover.abort();
  onAction = callback;
  delete document.documentElement.dataset.given;
  if (pendingAction) callback(...pendingAction);
}

const hasFiles = event => event.dataTransfer?.types.includes('Files');
listen(window, 'dragover', event => {
  if (hasFiles(event)) event.preventDefault();
});
listen(window, 'drop', event => {
  if (!hasFiles(event)) return;
  event.preventDefault();
  // The browser empties the list when this handler returns.
  const items = [...event.dataTransfer.items].filter(item => item.kind === 'file');
  report('dropped', items.map(item => [item.webkitGetAsEntry(), item.getAsFileSystemHandle?.(), item.getAsFile()]));
});
for (const id of ['catalog-folder', 'catalog-files'])
  listen(byId(id), 'change', event => {
    report('picked', [...event.target.files]);
    event.target.value = '';
  });
listen(byId('start-folder'), 'click', () => {
  if (!window.showDirectoryPicker) return void byId('catalog-folder').click();
  showDirectoryPicker().then(handle => report('folder', handle), () => {}); // the user cancelled
});
listen(byId('start-files'), 'click', () => byId('catalog-files').click());
listen(byId('start-sample'), 'click', () => report('sample', null));
listen(byId('start-new'), 'click', () => report('new', null));
// They are disabled in `index.html` because they do nothing without this script.
for (const id of ['start-folder', 'start-files', 'start-new', 'start-sample']) byId(id).disabled = false;

// The operating system can open files with an installed page.
globalThis.launchQueue?.setConsumer(({ files }) => {
  if (files?.length) report('launched', [...files]);
});

// `switchyard serve DIR` provides a folder.
globalThis.switchyardHost?.then(folder => report('folder', folder), error => report('not-served', error));

try {
  const theme = localStorage.getItem('switchyard.theme');
  if (theme) document.documentElement.dataset.theme = theme;
} catch {} // storage may be forbidden

// Queues a worker's messages until its program runs: `initSync` runs `main`, which sets the handler.
const BOOTSTRAP = `
const queuedMessages = [];
onmessage = event => {
  if (!(event.data instanceof WebAssembly.Module)) return void queuedMessages.push(event);
  onmessage = null;
  initSync({ module: event.data });
  for (const { data, ports } of queuedMessages) dispatchEvent(new MessageEvent('message', { data, ports: [...ports] }));
};`;

// Keeps the workers' script for later: a worker may start when the host is offline or already has another build. It is a
// blob, because a worker from a URL is not bound by the policy in the page's <meta>.
async function keepWorkerScript(glue) {
  const answer = await fetch(glue);
  if (!answer.ok) return;
  const text = await answer.text();
  // Imports would be resolved relative to the blob: fetch such a script by its URL each time.
  if (/^\s*import\s/m.test(text)) return;
  script.dataset.worker = URL.createObjectURL(new Blob([text, BOOTSTRAP], { type: 'text/javascript' }));
}

// Like `WebAssembly.compileStreaming`, but accepts hosts that send a wrong media type.
async function compile(wasm) {
  const answer = await fetch(wasm);
  if (!answer.ok) throw new Error(`the host answered ${answer.status} for ${wasm}`);
  const isNamed = /^application\/wasm\b/i.test(answer.headers.get('content-type') ?? '');
  return isNamed ? WebAssembly.compileStreaming(answer) : WebAssembly.compile(await answer.arrayBuffer());
}

// Fetches and compiles a program once; again only after a failure.
const programs = new Map();
function load(file) {
  if (!programs.has(file)) programs.set(file, compile(absolute(file)));
  const program = programs.get(file);
  program.catch(() => programs.delete(file));
  return program;
}

const workerProgram = () => load(script.dataset.workerWasm);

// A part of the page's program, for its script.
const part = name => load(script.dataset.wasm.replace('_bg', `-${name}`));

// A newer build of the page; it waits until no tab uses this one (see `sw.js`).
let newVersion = null;
let notifyNewVersion = () => {};

// Registers the service worker, which keeps the page for offline use. The program calls it when everything is loaded, so that
// nothing is fetched twice at once. Without `data-offline` the page comes from the host each time.
async function keepForOffline() {
  performance.measure('loaded', { start }); // from now on the page needs no host
  if (!script.dataset.offline || !navigator.serviceWorker) return;
  const registration = await navigator.serviceWorker.register(absolute(script.dataset.offline), { updateViaCache: 'none' });
  const checkWaiting = () => {
    // The first version becomes active at once.
    if (!registration.waiting || !registration.active || newVersion === registration.waiting) return;
    newVersion = registration.waiting;
    notifyNewVersion();
  };
  const watchInstalling = () => registration.installing?.addEventListener('statechange', checkWaiting);
  checkWaiting();
  watchInstalling();
  registration.addEventListener('updatefound', watchInstalling);
}

// Starts the newer build and reloads the page, unless other tabs use this build. Resolves to the number of other tabs.
async function startNewVersion() {
  const { port1, port2 } = new MessageChannel();
  const otherTabs = new Promise(resolve => { port1.onmessage = event => resolve(event.data); });
  newVersion.addEventListener('statechange', () => { if (newVersion.state === 'activated') location.reload(); });
  newVersion.postMessage('start', [port2]);
  return otherTabs;
}

// The interface for the page's program.
globalThis.switchyard = {
  workerBootstrap: BOOTSTRAP,
  workerProgram,
  part,
  keepForOffline: () => void keepForOffline().catch(() => {}), // working offline is optional
  takeOver,
  onNewVersion: notify => {
    notifyNewVersion = notify;
    if (newVersion) notify();
  },
  startNewVersion,
};

try {
  const glue = absolute(script.dataset.js);
  const workerScript = keepWorkerScript(absolute(script.dataset.workerJs)).catch(() => {}); // its URL is the fallback
  const page = compile(absolute(script.dataset.wasm));
  page.catch(() => {}); // awaited below
  const module = await import(glue);
  const wasm = await page;
  // The page needs its own program first. Starting a worker reports a failure to load.
  workerProgram().catch(() => {});
  await workerScript;
  await module.default({ module_or_path: wasm });
  started = true;
  performance.measure('boot', { start });
} catch (error) {
  byId('boot')?.setAttribute('data-failed', '');
  fatal(String(error));
}
