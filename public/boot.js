// Starts the wasm that trunk names in this script's own attributes. It is a file because the content security policy
// allows no inline script. What it also does: it keeps the script of the workers, and when the page's own wasm dies it says
// so, since nothing else can then.

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

// Workers are started as long as the page lives, and the host may be offline or have another build by then: what they
// need is kept. They start from a blob, since a worker from a URL is not bound by the policy in the page's <meta>.
async function keepWorkerScript(glue) {
  const answer = await fetch(glue);
  if (!answer.ok) return;
  const text = await answer.text();
  // Imports of other files would be looked for beside the blob: then the script is named instead, and fetched each time.
  if (/^\s*import\s/m.test(text)) return;
  const begin = '\nonmessage = event => { onmessage = null; initSync({ module: event.data }); };\n';
  script.dataset.worker = URL.createObjectURL(new Blob([text, begin], { type: 'text/javascript' }));
}

const start = performance.now();
try {
  const glue = absolute(script.dataset.js);
  const kept = keepWorkerScript(glue).catch(() => {}); // without it workers are started by the script's address
  const module = await import(glue);
  await kept;
  await module.default({ module_or_path: absolute(script.dataset.wasm) });
  started = true;
  performance.measure('boot', { start });
} catch (error) {
  document.getElementById('boot')?.setAttribute('data-failed', '');
  fatal(String(error));
}
