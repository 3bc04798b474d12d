// Starts the wasm that trunk names in this script's own attributes. It is a file because the content security policy
// allows no inline script. What it also does: when the page's own wasm dies it says so, since nothing else can then.

const script = document.querySelector('script[data-wasm]');
const absolute = path => new URL(path, document.baseURI).href;

function fatal(text) {
  if (document.querySelector('dialog.fatal')) return; // the panic's own words and the trap that follows both come here
  const dialog = document.createElement('dialog');
  dialog.className = 'fatal';
  const words = document.createElement('p');
  words.textContent = 'The page has crashed and has to be loaded again. ' + text;
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

const start = performance.now();
try {
  const module = await import(absolute(script.dataset.js));
  await module.default({ module_or_path: absolute(script.dataset.wasm) });
  performance.measure('boot', { start });
} catch (error) {
  fatal('It could not be started: ' + error);
}
