// The folder that `switchyard serve DIR` serves, as a browser's handle of a folder on disk: the page walks it, observes it and
// saves to it like one that the user picked. Files are read on request; a save is one request, so that all files are written
// or none.

const KEY = 'switchyard.token';
let token = sessionStorage.getItem(KEY);

// Moves the token from the address, which the user may show to somebody, to this tab.
function takeToken(address) {
  const named = /^#token=([0-9a-f]+)$/.exec(new URL(address).hash);
  if (!named) return false;
  token = named[1];
  sessionStorage.setItem(KEY, token);
  history.replaceState(null, '', location.pathname + location.search);
  return true;
}

takeToken(location.href);
// The address of a restarted program differs only after the `#`: pasted into this tab, it loads nothing by itself.
// The page may have written its own address before this event arrives, so `location` is not asked.
addEventListener('hashchange', event => {
  if (takeToken(event.newURL)) location.reload();
});

async function ask(what, options = {}) {
  const answer = await fetch(`./api/${what}`, { ...options, headers: { Authorization: `Bearer ${token}` } });
  if (answer.ok) return answer;
  const name = answer.status === 404 ? 'NotFoundError' : 'NotAllowedError';
  throw answer.status === 404 ? new DOMException('it is not there', name) : new Error((await answer.text()).trim());
}

async function read(path) {
  const answer = await ask(`file?path=${encodeURIComponent(path)}`);
  const lastModified = Number(answer.headers.get('Switchyard-Modified'));
  return new File([await answer.arrayBuffer()], path.split('/').pop(), { lastModified });
}

class Handle {
  constructor(kind, name, path) {
    Object.assign(this, { kind, name, path });
  }

  isSameEntry(other) {
    return Promise.resolve(other instanceof Handle && other.path === this.path);
  }

  requestPermission() {
    return Promise.resolve('granted');
  }
}

// What was read of each file, by path, so that a walk asks only for those that changed.
const known = new Map();

class FileHandle extends Handle {
  constructor(name, path, listed) {
    super('file', name, path);
    this.listed = listed;
  }

  async getFile() {
    const { listed, path } = this;
    const kept = known.get(path);
    if (listed && kept && kept.size === listed.size && kept.lastModified === listed.modified) return kept;
    const file = await read(path);
    known.set(path, file);
    return file;
  }
}

class FolderHandle extends Handle {
  constructor(name, path, files) {
    super('directory', name, path);
    this.files = files;
  }

  async *values() {
    const files = this.files ?? (await (await ask('files')).json()).files;
    const below = files.filter(file => file.path.startsWith(this.path));
    const folders = new Map();
    for (const file of below) {
      const [name, ...rest] = file.path.slice(this.path.length).split('/');
      if (rest.length === 0) yield new FileHandle(name, file.path, file);
      else if (folders.has(name)) folders.get(name).push(file);
      else folders.set(name, [file]);
    }
    for (const [name, inside] of folders) yield new FolderHandle(name, `${this.path}${name}/`, inside);
  }

  async getDirectoryHandle(name) {
    return new FolderHandle(name, `${this.path}${name}/`, null);
  }

  async getFileHandle(name) {
    return new FileHandle(name, this.path + name, null);
  }

  // Of each file its path below this folder, the file that was read before (or null), and its bytes.
  async writeAll(files) {
    const seen = await Promise.all(files.map(([, before]) => before && before.arrayBuffer()));
    const list = files.map(([path, , after], at) => ({
      path: this.path + path,
      before: seen[at] ? seen[at].byteLength : null,
      after: after.byteLength,
    }));
    const parts = [`${JSON.stringify({ files: list })}\n`];
    files.forEach(([, , after], at) => parts.push(...(seen[at] ? [seen[at]] : []), after));
    await ask('files', { method: 'PUT', body: new Blob(parts) });
    return Promise.all(list.map(async ({ path }) => {
      const file = await read(path);
      known.set(path, file);
      return file;
    }));
  }
}

if (token) {
  globalThis.switchyardHost = ask('files').then(
    async answer => new FolderHandle((await answer.json()).name, '', null),
    error => {
      sessionStorage.removeItem(KEY);
      throw error;
    },
  );
}
