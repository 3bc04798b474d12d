// Added by `cargo dev serve` alone: follows the sources into this page.

const sheet = () => document.querySelector('link[rel="stylesheet"]');

function swapStyle(name) {
  const before = sheet();
  const link = before.cloneNode();
  link.href = `./${name}`;
  link.onload = () => before.remove(); // until then both hold, so that nothing flashes
  before.after(link);
}

const note = document.createElement('pre');
note.setAttribute('role', 'alert');
Object.assign(note.style, {
  position: 'fixed', inset: 'auto 0 0 0', zIndex: 2147483647, maxHeight: '60vh', overflow: 'auto', margin: 0, padding: '12px',
  font: '12px/1.4 monospace', whiteSpace: 'pre-wrap', background: '#1b1b1b', color: '#ffb4a9', borderTop: '2px solid #ff5449',
});

function show(text) {
  note.textContent = text;
  if (text === '') note.remove();
  else document.body.append(note);
}

const news = new EventSource('./_dev/news');
news.addEventListener('style', event => { show(''); swapStyle(event.data); });
news.addEventListener('building', () => show('Building…'));
news.addEventListener('built', () => location.reload());
news.addEventListener('failed', event => show(`Not built; the page is the one before.\n\n${event.data}`));
