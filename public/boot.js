// Starts the page's program, and gets what its workers are made of: this script's own attributes name the files. Until the
// program is there, takes what the user drops or picks on the start page. It is a file because the content security policy
// allows no inline script. When the page's own program dies it says so, since nothing else can then.

const start = performance.now();
const script = document.querySelector('script[data-wasm]');
const absolute = path => new URL(path, document.baseURI).href;
let started = false;

function fatal(text) {
  if (document.querySelector('dialog.fatal')) return; // the panic's own words and the trap that follows both come here
  const dialog = document.createElement('dialog');
  dialog.className = 'fatal';
  const words = document.createElement('p');
  words.textContent = (started ? 'The page has crashed and has to be loaded again. ' : 'The page could not be started. ') + text;
  const reload = document.createElement('button');
  reload.textContent = 'Reload';
  reload.addEventListener('click', () => location.reload());
  dialog.append(words, reload);
  document.body.append(dialog);
  dialog.showModal();
}

addEventListener('switchyard-fatal', event => fatal(event.detail));
addEventListener('error', event => {
  if (event.error instanceof WebAssembly.RuntimeError) fatal(event.message);
});

// What is dropped or picked before the program is there waits for it; the last counts, as it would replace what was before.
let given = null;
let taker = null;
const untilTaken = new AbortController();
const hear = (target, kind, handler) => target?.addEventListener(kind, handler, { signal: untilTaken.signal });
const byId = id => document.getElementById(id);

function give(kind, value) {
  if (taker) return void taker(kind, value); // a folder was being picked when the program came
  given = [kind, value];
  document.documentElement.dataset.given = '';
}

// The program hears what was given, and takes what comes from then on by itself.
function takeGiven(take) {
  untilTaken.abort();
  taker = take;
  delete document.documentElement.dataset.given;
  if (given) take(...given);
}

const hasFiles = event => event.dataTransfer?.types.includes('Files');
hear(window, 'dragover', event => {
  if (hasFiles(event)) event.preventDefault();
});
hear(window, 'drop', event => {
  if (!hasFiles(event)) return;
  event.preventDefault();
  // All that the program would take out of the drop itself: the browser empties it when this handler has returned.
  const items = [...event.dataTransfer.items].filter(item => item.kind === 'file');
  give('dropped', items.map(item => [item.webkitGetAsEntry(), item.getAsFileSystemHandle?.(), item.getAsFile()]));
});
for (const id of ['catalog-folder', 'catalog-files'])
  hear(byId(id), 'change', event => {
    give('picked', [...event.target.files]);
    event.target.value = '';
  });
hear(byId('start-folder'), 'click', () => {
  if (!window.showDirectoryPicker) return void byId('catalog-folder').click();
  showDirectoryPicker().then(handle => give('folder', handle), () => {}); // they changed their mind
});
hear(byId('start-files'), 'click', () => byId('catalog-files').click());
hear(byId('start-sample'), 'click', () => give('sample', null));
hear(byId('start-new'), 'click', () => give('new', null));
for (const id of ['start-folder', 'start-files', 'start-new', 'start-sample']) byId(id).disabled = false; // without this script they do nothing

// The operating system opens files with the page where it is installed.
globalThis.launchQueue?.setConsumer(({ files }) => {
  if (files?.length) give('launched', [...files]);
});

// The program that serves the page may have a folder for it (`switchyard serve DIR`).
globalThis.switchyardHost?.then(folder => give('folder', folder), error => give('not-served', error));

try {
  const theme = localStorage.getItem('switchyard.theme');
  if (theme) document.documentElement.dataset.theme = theme;
} catch {} // a browser that keeps nothing

// What a worker does before its program is there: it holds what it is told, since `initSync` runs `main`, and only `main`
// sets the handler.
const BEGIN = `
const held = [];
onmessage = event => {
  if (!(event.data instanceof WebAssembly.Module)) return void held.push(event);
  onmessage = null;
  initSync({ module: event.data });
  for (const { data, ports } of held) dispatchEvent(new MessageEvent('message', { data, ports: [...ports] }));
};`;

// Workers are started as long as the page lives, and the host may be offline or have another build by then: what they
// need is kept. They start from a blob, since a worker from a URL is not bound by the policy in the page's <meta>.
async function keepWorkerScript(glue) {
  const answer = await fetch(glue);
  if (!answer.ok) return;
  const text = await answer.text();
  // Imports of other files would be looked for beside the blob: then the script is named instead, and fetched each time.
  if (/^\s*import\s/m.test(text)) return;
  script.dataset.worker = URL.createObjectURL(new Blob([text, BEGIN], { type: 'text/javascript' }));
}

// As `WebAssembly.compileStreaming`, for hosts too that send wasm as something else.
async function compiled(wasm) {
  const answer = await fetch(wasm);
  if (!answer.ok) throw new Error(`the host answered ${answer.status} for ${wasm}`);
  const isNamed = /^application\/wasm\b/i.test(answer.headers.get('content-type') ?? '');
  return isNamed ? WebAssembly.compileStreaming(answer) : WebAssembly.compile(await answer.arrayBuffer());
}

// The workers' program is asked for once and kept; only when it could not be had, it is asked for again.
let program = null;
const workerProgram = () => {
  program ??= compiled(absolute(script.dataset.workerWasm)).then(module => {
    performance.measure('workers', { start }); // from here on the host is needed for nothing
    return module;
  }, error => {
    program = null;
    throw error;
  });
  return program;
};

// A newer build of the page that waits until no tab has this one (see `sw.js`), and who is told of it.
let newer = null;
let tellOfNewer = () => {};

// The page is kept for times without a network when all of it is here, so that nothing is asked for twice at once. Where it
// must come from the host each time, no script for that is named.
async function keepForOffline() {
  if (!script.dataset.offline || !navigator.serviceWorker) return;
  const kept = await navigator.serviceWorker.register(absolute(script.dataset.offline), { updateViaCache: 'none' });
  const look = () => {
    if (!kept.waiting || !kept.active || newer === kept.waiting) return; // the first one waits for nobody
    newer = kept.waiting;
    tellOfNewer();
  };
  const follow = () => kept.installing?.addEventListener('statechange', look);
  look();
  follow();
  kept.addEventListener('updatefound', follow);
}

// Starts the newer build, and loads the page anew, if no other tab has this one. Gives how many have.
async function startNewer() {
  const { port1, port2 } = new MessageChannel();
  const answered = new Promise(done => { port1.onmessage = event => done(event.data); });
  newer.addEventListener('statechange', () => { if (newer.state === 'activated') location.reload(); });
  newer.postMessage('start', [port2]);
  return answered;
}

// What the page's program takes from here.
globalThis.switchyard = {
  begin: BEGIN,
  workerProgram,
  takeGiven,
  hearOfNewer: tell => {
    tellOfNewer = tell;
    if (newer) tell();
  },
  startNewer,
};

try {
  const glue = absolute(script.dataset.js);
  const kept = keepWorkerScript(absolute(script.dataset.workerJs)).catch(() => {}); // without it workers are started by its address
  const page = compiled(absolute(script.dataset.wasm));
  page.catch(() => {}); // told below
  const module = await import(glue);
  const wasm = await page;
  // After the page's, which is waited for first; told where it is asked for. A browser that keeps nothing is no failure.
  workerProgram().then(keepForOffline).catch(() => {});
  await kept;
  await module.default({ module_or_path: wasm });
  started = true;
  performance.measure('boot', { start });
} catch (error) {
  byId('boot')?.setAttribute('data-failed', '');
  fatal(String(error));
}
