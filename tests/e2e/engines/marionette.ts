// Firefox driven by Marionette, its own protocol, which can give a folder to a page. WebDriver BiDi cannot.
import { spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { LEAN } from './firefox';

/// How long Firefox may take to start listening on a busy machine.
const PATIENCE_MS = 60_000;

type Answer = [type: 1, id: number, error: { error: string; message: string } | null, result: unknown];

/// A Firefox driven by Marionette.
export class Marionette {
  private received = Buffer.alloc(0);
  private id = 0;
  private readonly waiting = new Map<number, (answer: Answer) => void>();

  private constructor(private readonly child: ChildProcess, private readonly profile: string, private readonly socket: net.Socket) {
    socket.on('data', data => this.receive(data));
  }

  static async start(executablePath: string): Promise<Marionette> {
    const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-firefox-'));
    const preferences = {
      'dom.filesystem.pathcheck.disabled': true,
      'marionette.port': 0,
      'datareporting.policy.dataSubmissionEnabled': false,
      ...LEAN,
    };
    const lines = Object.entries(preferences).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${value});\n`);
    fs.writeFileSync(path.join(profile, 'user.js'), lines.join(''));
    const args = ['--marionette', '--headless', '--remote-allow-system-access', '--no-remote', '--profile', profile];
    const child = spawn(executablePath, args, { stdio: 'ignore' });
    const marionette = new Marionette(child, profile, await connect(profile));
    await marionette.send('WebDriver:NewSession', {});
    return marionette;
  }

  open = (url: string): Promise<unknown> => this.send('WebDriver:Navigate', { url });

  /// The result of a function body evaluated in the page.
  ask = async <T>(script: string): Promise<T> => valueOf(await this.send('WebDriver:ExecuteScript', { script, args: [] }));

  /// Drops a folder in the middle of the page. The browser's own entry for the drop is taken from an input that is
  /// not in the page.
  async dropFolder(folder: string): Promise<void> {
    const inPage = `
      const input = document.createElement('input');
      input.type = 'file';
      input.webkitdirectory = true;
      input.mozSetDndFilesAndDirectories([new window.Directory(arguments[0])]);
      const [entry] = input.webkitEntries;
      if (!entry || !entry.isDirectory) throw new Error('the folder has no entry');
      const data = new window.DataTransfer();
      data.items.add(new window.File([], entry.name));
      const item = window.wrappedJSObject.DataTransferItem.prototype;
      Object.defineProperty(item, 'webkitGetAsEntry', {
        configurable: true,
        value: Components.utils.exportFunction(() => entry, window),
      });
      for (const kind of ['dragenter', 'dragover', 'drop'])
        document.body.dispatchEvent(new window.DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: data }));`;
    const script = `
      const [folder, inPage, done] = arguments;
      gBrowser.selectedBrowser.browsingContext.currentWindowGlobal.getActor('MarionetteCommands')
        .executeScript(inPage, [folder], { sandboxName: 'system', timeout: 10000, async: false })
        .then(() => done(null), error => done(String(error)));`;
    await this.send('Marionette:SetContext', { value: 'chrome' });
    const failed = valueOf<string | null>(await this.send('WebDriver:ExecuteAsyncScript', { script, args: [folder, inPage] }));
    await this.send('Marionette:SetContext', { value: 'content' });
    if (failed) throw new Error(failed);
  }

  async end(): Promise<void> {
    const ended = new Promise(done => { this.child.once('exit', done); });
    this.socket.destroy();
    this.child.kill('SIGKILL');
    await ended;
    fs.rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }

  /// Sends a command; returns its result. A message is its length, a colon, and JSON.
  private async send(name: string, parameters: object): Promise<unknown> {
    const id = ++this.id;
    const text = JSON.stringify([0, id, name, parameters]);
    const answered = new Promise<Answer>(done => { this.waiting.set(id, done); });
    this.socket.write(`${Buffer.byteLength(text)}:${text}`);
    const [, , error, result] = await answered;
    if (error !== null) throw new Error(`${name}: ${error.error}: ${error.message}`);
    return result;
  }

  private receive(data: Buffer): void {
    this.received = Buffer.concat([this.received, data]);
    for (;;) {
      const colon = this.received.indexOf(':');
      const end = colon + 1 + Number(this.received.subarray(0, Math.max(colon, 0)).toString());
      if (colon < 0 || this.received.length < end) return;
      const message: unknown = JSON.parse(this.received.subarray(colon + 1, end).toString());
      this.received = this.received.subarray(end);
      // The first message is the server's greeting.
      if (Array.isArray(message)) this.waiting.get(message[1])?.(message as Answer);
    }
  }
}

const valueOf = <T>(result: unknown): T => (result as { value: T }).value;

/// Connects to the port that Firefox chose and wrote into its profile.
async function connect(profile: string): Promise<net.Socket> {
  const file = path.join(profile, 'MarionetteActivePort');
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline;) {
    const port = fs.existsSync(file) ? Number(fs.readFileSync(file, 'utf8')) : 0;
    if (port > 0) return net.connect(port, '127.0.0.1');
    await new Promise(later => { setTimeout(later, 100); });
  }
  throw new Error('Firefox does not listen for Marionette');
}
