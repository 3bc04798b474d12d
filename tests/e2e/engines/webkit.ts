// WebKitGTK, driven by its own WebDriver on a virtual screen. It accepts files but no folders.
import { spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';
/// How long driver and screen may take to start on a busy machine.
const PATIENCE_MS = 30_000;

/// A WebKit with one tab.
export class WebKit {
  private constructor(private readonly session: string, private readonly processes: ChildProcess[], private readonly home: string) {}

  static async start(driver: string): Promise<WebKit> {
    const home = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-webkit-'));
    const port = await freePort();
    const screen = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1440x900x24', '-nolisten', 'tcp'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
    const display = await new Promise<string>((resolve, reject) => {
      screen.stdio[3]?.once('data', (text: Buffer) => resolve(`:${text.toString().trim()}`));
      screen.once('error', reject);
    });
    // WebKit's process sandbox needs privileges that containers lack.
    const env = {
      ...process.env, DISPLAY: display, HOME: home, XDG_DATA_HOME: home, XDG_CACHE_HOME: home, XDG_DOWNLOAD_DIR: home,
      WEBKIT_DISABLE_DMABUF_RENDERER: '1', WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
    };
    const processes = [screen, spawn(driver, [`--port=${port}`], { env, stdio: 'ignore' })];
    const options = { binary: miniBrowser(), args: ['--automation'] };
    for (const deadline = Date.now() + PATIENCE_MS; ;) {
      try {
        const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': options } };
        const { sessionId } = await ask<{ sessionId: string }>('POST', `http://127.0.0.1:${port}/session`, { capabilities });
        return new WebKit(`http://127.0.0.1:${port}/session/${sessionId}`, processes, home);
      } catch (error) {
        if (Date.now() > deadline) throw error;
        await new Promise(later => { setTimeout(later, 200); });
      }
    }
  }

  open = (url: string): Promise<unknown> => this.send('POST', '/url', { url });

  /// The result of a function body evaluated in the page.
  ask = <T>(script: string, ...args: unknown[]): Promise<T> => this.send('POST', '/execute/sync', { script, args });

  /// Gives files to the input with this selector.
  async upload(selector: string, paths: string[]): Promise<void> {
    const found = await this.send<Record<string, string>>('POST', '/element', { using: 'css selector', value: selector });
    await this.send('POST', `/element/${found[ELEMENT]}/value`, { text: paths.join('\n') });
  }

  async end(): Promise<void> {
    await this.send('DELETE', '').catch(() => {});
    for (const child of this.processes) child.kill('SIGKILL');
    fs.rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
  }

  private send = <T>(method: string, what: string, body?: object): Promise<T> => ask<T>(method, this.session + what, body);
}

async function ask<T>(method: string, url: string, body?: object): Promise<T> {
  const answer = await fetch(url, { method, body: body === undefined ? null : JSON.stringify(body) });
  const { value } = await answer.json() as { value: T & { error?: string; message?: string } | null };
  if (!answer.ok) throw new Error(`${method} ${url}: ${value?.error}: ${value?.message}`);
  return value as T;
}

const freePort = (): Promise<number> => new Promise(done => {
  const server = net.createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address() as net.AddressInfo;
    server.close(() => done(port));
  });
});

/// The browser that ships with the library, in a folder named by the library's version.
function miniBrowser(): string {
  const libraries = ['/usr/lib', ...fs.readdirSync('/usr/lib', { withFileTypes: true }).filter(entry => entry.isDirectory()).map(entry => `/usr/lib/${entry.name}`)];
  for (const folder of libraries) {
    const versions = fs.readdirSync(folder).filter(name => /^webkit2?gtk-/.test(name)).sort().reverse();
    for (const version of versions) {
      const program = path.join(folder, version, 'MiniBrowser');
      if (fs.existsSync(program)) return program;
    }
  }
  throw new Error('no MiniBrowser of WebKitGTK is installed');
}
