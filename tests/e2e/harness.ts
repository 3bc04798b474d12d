// Shared by all journeys: a browser that accepts real folder drops, opening the page, and finding things by role and
// name.
import { test as base, chromium, expect, type BrowserContext, type Locator, type Page } from '@playwright/test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const HERE = path.dirname(fileURLToPath(import.meta.url));
export const DATA = path.resolve(HERE, '../data/catalogs');
export const SHARED = process.env.SWITCHYARD_SHARED ?? path.resolve(HERE, '../../../shared');
export const UNDER_A_PATH = `http://127.0.0.1:${process.env.SWITCHYARD_PORT_BELOW}/some/where/`;
export const AT_THE_ROOT = `http://127.0.0.1:${process.env.SWITCHYARD_PORT_AT_ROOT}/`;

/// The program that `cargo dev test` built and named in this variable. There is no fallback: another build would be
/// tested.
export function builtPath(variable: 'SWITCHYARD_PAGE' | 'SWITCHYARD_CLI'): string {
  const path = process.env[variable];
  if (!path) throw new Error(`${variable} is not set: run the journeys by \`cargo dev test\``);
  return path;
}

export const ARGS = ['--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--disable-quic'];

type Violation = { directive: string; blocked: string };

// Permission to write to folders, and to read remembered ones again: 1 allowed, 2 denied, 0 the default of a fresh
// browser (a permission prompt that nobody answers).
type Guards = { write: 0 | 1 | 2; read: 0 | 1 | 2 };

type Own = {
  violations: Violation[];
  guards: Guards;
  touch: boolean;
  profile: 'shared' | 'cold' | 'own';
};

/// Launches a browser with its own profile: only a persistent context gives real handles for dropped folders.
async function launchBrowser(settings: Record<string, number>, hasTouch: boolean, serviceWorkers: 'allow' | 'block', args: string[] = []): Promise<Running> {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-journey-'));
  if (Object.keys(settings).length > 0) {
    fs.mkdirSync(path.join(profile, 'Default'));
    const preferences = { profile: { default_content_setting_values: settings } };
    fs.writeFileSync(path.join(profile, 'Default/Preferences'), JSON.stringify(preferences));
  }
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.SWITCHYARD_CHROMIUM ?? '/usr/bin/chromium',
    args: [...ARGS, ...args],
    viewport: { width: 1440, height: 900 },
    acceptDownloads: true,
    hasTouch,
    serviceWorkers,
  });
  return { context, profile };
}

type Running = { context: BrowserContext; profile: string };

/// Ends a browser and deletes its profile.
async function endBrowser({ context, profile }: Running): Promise<void> {
  await context.close().catch(() => {});
  fs.rmSync(profile, { recursive: true, force: true });
}

/// The browsers that the journeys of one worker share, one for each combination of settings: a start takes seconds.
/// Started on first use.
class SharedBrowsers {
  readonly #running = new Map<string, Running>();
  #last: Running | undefined;

  async context(settings: Record<string, number>, serviceWorkers: 'allow' | 'block', isCold: boolean): Promise<BrowserContext> {
    const key = JSON.stringify([settings, serviceWorkers, isCold]);
    let running = this.#running.get(key);
    if (!running) {
      running = await launchBrowser(settings, false, serviceWorkers, isCold ? [] : [ONE_PROCESS]);
      this.#running.set(key, running);
      if (!isCold) await keepPrograms(running.context);
    }
    // The pages of the previous journey would go on working.
    if (this.#last && this.#last !== running) await sweep(this.#last.context);
    this.#last = running;
    return running.context;
  }

  async end(): Promise<void> {
    for (const running of this.#running.values()) await endBrowser(running);
  }
}

/// For each browser, the page that keeps the compiled programs alive.
const keeperPages = new WeakMap<BrowserContext, Page>();

/// One process for all pages of a browser.
export const ONE_PROCESS = '--process-per-site';

/// Opens an idle page that holds the compiled programs, so that the browser does not compile them again for other
/// pages of the same process. This makes all journeys a sixth faster.
export async function keepPrograms(context: BrowserContext): Promise<void> {
  const page = await context.newPage();
  keeperPages.set(context, page);
  await page.goto(new URL('manifest.webmanifest', AT_THE_ROOT).href);
  const programs = fs.readdirSync(builtPath('SWITCHYARD_PAGE')).filter(name => name.endsWith('.wasm'));
  await page.evaluate(async programs => {
    const compiled = await Promise.all(programs.map(name => WebAssembly.compileStreaming(fetch(name))));
    Object.assign(window, { compiled });
  }, programs);
}

/// Removes everything that a journey left in a shared browser, except the compiled programs. Leaves one blank page
/// open, since a browser without pages exits.
export async function sweep(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  for (const other of context.pages()) if (other !== page && other !== keeperPages.get(context)) await other.close();
  await context.clearPermissions();
  const client = await context.newCDPSession(page);
  for (const url of [UNDER_A_PATH, AT_THE_ROOT])
    await client.send('Storage.clearDataForOrigin', { origin: new URL(url).origin, storageTypes: KEPT_BY_A_PAGE });
  await client.detach();
  return page;
}

const KEPT_BY_A_PAGE = 'cache_storage,cookies,file_systems,indexeddb,local_storage,service_workers,websql';

export const test = base.extend<Own, { sharedBrowsers: SharedBrowsers }>({
  // Whether the screen also supports touch.
  touch: [false, { option: true }],
  guards: [{ write: 0, read: 0 }, { option: true }],
  // `own` for journeys that kill browser processes or change a whole browser; `cold` shares a browser that keeps no
  // compiled programs, to test the start of the page.
  profile: ['shared', { option: true }],
  sharedBrowsers: [async ({}, use) => {
    const browsers = new SharedBrowsers();
    await use(browsers);
    await browsers.end();
  }, { scope: 'worker' }],
  context: async ({ guards, touch, profile, serviceWorkers, sharedBrowsers }, use) => {
    const settings: Record<string, number> = {};
    if (guards.write) settings.file_system_write_guard = guards.write;
    if (guards.read) settings.file_system_read_guard = guards.read;
    const own = profile === 'own' || touch ? await launchBrowser(settings, touch, serviceWorkers) : undefined;
    const context = own?.context ?? await sharedBrowsers.context(settings, serviceWorkers, profile === 'cold');
    await use(context);
    if (own) await endBrowser(own);
    else if (!context.browser()?.isConnected()) throw new Error('the browser exited');
  },
  page: async ({ context }, use) => { await use(await sweep(context)); },
  // Violations of the content security policy. A journey that allows none ends with `expect(violations).toEqual([])`.
  violations: async ({ page }, use) => {
    const violations: Violation[] = [];
    await page.exposeFunction('__violation', (directive: string, blocked: string) => { violations.push({ directive, blocked }); });
    await page.addInitScript(() => addEventListener('securitypolicyviolation', event => {
      (window as unknown as { __violation: (a: string, b: string) => void }).__violation(event.violatedDirective, event.blockedURI);
    }));
    await use(violations);
  },
});

export { accessible } from './accessible';
export { expect };

/// A fresh copy of one of our fixture catalogs.
export function fixture(name: string): string {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-fixture-'));
  fs.cpSync(path.join(DATA, name), path.join(dir, name), { recursive: true });
  return path.join(dir, name);
}

/// A folder of the corpus; skips the test if it is missing.
export function corpus(name: string): string {
  const dir = path.join(SHARED, 'corpus', name);
  test.skip(!fs.existsSync(dir), `corpus/${name} is missing`);
  return dir;
}

export async function start(page: Page, url = UNDER_A_PATH): Promise<void> {
  await page.goto(url);
  // The start page appears before its program runs; only `early.spec.ts` tests that phase. `waitFor` notices sooner than
  // an expectation, which looks once a second.
  await page.locator('#boot').waitFor({ state: 'detached' });
  await expect(page.getByRole('button', { name: 'Open folder…' })).toBeVisible();
}

/// Enables the single-letter keys that open edits. Call it before the page is opened.
export async function useLetterKeys(page: Page): Promise<void> {
  await page.addInitScript(() => localStorage.setItem('switchyard.letter-keys', 'on'));
}

/// Drops files and folders as the operating system does: in the middle of the page, or of an element on it.
export async function drop(page: Page, paths: string[], on?: Locator): Promise<void> {
  // Counts the drop events of the page.
  const countDrops = () => page.evaluate(() => {
    const counting = window as unknown as { __drops?: number };
    if (counting.__drops === undefined) {
      counting.__drops = 0;
      addEventListener('drop', () => { counting.__drops = (counting.__drops ?? 0) + 1; }, true);
    }
    return counting.__drops;
  });
  await dropUntil(page, paths, countDrops, on);
}

/// The browser occasionally loses a synthetic drop while another page is closing, so that the page receives no event.
/// Only such a drop is repeated.
async function dropUntil(page: Page, paths: string[], countDrops: () => Promise<number>, on?: Locator): Promise<void> {
  const before = await countDrops();
  const size = page.viewportSize() ?? { width: 800, height: 600 };
  const box = await on?.boundingBox() ?? { x: 0, y: 0, ...size };
  const data = { items: [], files: paths, dragOperationsMask: 1 };
  let attempts = 0;
  await expect(async () => {
    attempts += 1;
    if (attempts > 1) {
      // A busy page may have received it meanwhile.
      if (await countDrops() > before) return;
      console.warn('the page did not receive a drop; repeating it');
      await page.bringToFront();
    }
    const client = await page.context().newCDPSession(page);
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await client.send('Input.dispatchDragEvent', { type, x: box.x + box.width / 2, y: box.y + box.height / 2, data });
    await client.detach();
    await expect.poll(countDrops, { timeout: 3_000 }).toBeGreaterThan(before);
  }).toPass({ timeout: 45_000 });
}

/// Makes the next folder picker answer with a real handle of `dir`, obtained from a drop that the page does not see.
/// Call `preparePicker` before the page is opened, and the returned function afterwards.
export async function preparePicker(page: Page): Promise<(dir: string) => Promise<void>> {
  await page.addInitScript(() => {
    const answers: Promise<FileSystemHandle | null>[] = [];
    let armed = false;
    let answered = 0;
    Object.assign(window, { __arm: () => { armed = true; }, __answered: () => answered });
    addEventListener('dragover', event => { if (armed) { event.preventDefault(); event.stopImmediatePropagation(); } }, true);
    addEventListener('dragenter', event => { if (armed) { event.preventDefault(); event.stopImmediatePropagation(); } }, true);
    addEventListener('drop', event => {
      if (!armed) return;
      armed = false;
      answered += 1;
      event.preventDefault();
      event.stopImmediatePropagation();
      for (const item of event.dataTransfer?.items ?? [])
        answers.push((item as unknown as { getAsFileSystemHandle(): Promise<FileSystemHandle | null> }).getAsFileSystemHandle());
    }, true);
    Object.assign(window, {
      showDirectoryPicker: () => answers.shift() ?? Promise.reject(new DOMException('The user aborted a request.', 'AbortError')),
    });
  });
  return async dir => {
    await page.evaluate(() => (window as unknown as { __arm(): void }).__arm());
    await dropUntil(page, [dir], () => page.evaluate(() => (window as unknown as { __answered(): number }).__answered()));
  };
}

export async function openFolder(page: Page, dir: string, url = UNDER_A_PATH): Promise<void> {
  await start(page, url);
  await drop(page, [dir]);
  await verdict(page).filter({ hasText: /(Passes|Fails) opm validate|Template with/ }).waitFor({ state: 'attached', timeout: 45_000 });
}

/// Opens a repository, then an operator's catalog in it.
export async function openRepository(page: Page, dir: string, operator: string, catalog: string): Promise<void> {
  await start(page);
  await drop(page, [dir]);
  const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: operator }) });
  const cell = row.getByRole('button', { name: new RegExp(`^${catalog.replaceAll('.', '\\.')}:.*opm validate`) });
  await cell.click({ timeout: 45_000 });
  await expect(verdict(page)).toHaveText(/(Passes|Fails) opm validate/);
}

export const verdict = (page: Page): Locator => page.getByRole('status', { name: 'Verdict' });
export const PASSES = 'Passes opm validate';

export async function choosePackage(page: Page, name: string): Promise<void> {
  await page.getByRole('searchbox', { name: 'Search packages' }).fill(name);
  await packageItem(page, name).click();
  await expect(page.getByRole('region', { name: `Upgrade graph of ${name}` })).toBeVisible();
}

export const packageItem = (page: Page, name: string): Locator =>
  page.getByRole('list', { name: 'Packages' }).getByRole('listitem', { name: new RegExp(`^${name}(,|$)`) });

export const graph = (page: Page): Locator => page.getByRole('region', { name: /^Upgrade graph of / });

/// An entry in the graph, by the start of its accessible name.
export const entry = (page: Page, name: string, channel: string): Locator =>
  graph(page).getByRole('button', { name: new RegExp(`^${name.replaceAll('.', '\\.')} in ${channel}(,|$)`) });

/// Runs a command from the palette; returns its form.
export async function command(page: Page, name: string): Promise<Locator> {
  await page.keyboard.press('ControlOrMeta+k');
  const palette = page.getByRole('dialog', { name: 'Command palette' });
  await expect(palette).toBeVisible();
  await palette.getByRole('combobox').fill(name);
  await palette.getByRole('option', { name: new RegExp(`^${name.replace('…', '')}`) }).first().click();
  const form = page.getByRole('dialog', { name: new RegExp(`^${name.replace('…', '')}`) });
  await expect(form).toBeVisible();
  return form;
}

/// Runs a command of the selection that has no button in the inspector.
export async function moreCommands(page: Page, name: string): Promise<void> {
  await page.getByRole('complementary', { name: 'Inspector' }).getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name, exact: true }).click();
}

/// Fills a field of a form; handles selects too.
export async function field(form: Locator, label: string, value: string): Promise<void> {
  const control = form.getByLabel(label, { exact: true });
  if (await control.evaluate(element => element.tagName === 'SELECT')) await control.selectOption(value);
  else await control.fill(value);
}

/// Opens the list of other catalogs in a form; returns its group.
export async function alsoIn(form: Locator): Promise<Locator> {
  const group = form.getByRole('group', { name: 'Also in' });
  await group.getByRole('button', { name: 'Choose catalogs' }).click();
  return group;
}

/// Deselects all other catalogs, if there are any.
export async function onlyHere(form: Locator): Promise<void> {
  const choose = form.getByRole('group', { name: 'Also in' }).getByRole('button', { name: 'Choose catalogs' });
  if (await choose.count() > 0 && await choose.isEnabled()) await choose.click();
  const none = form.getByRole('group', { name: 'Also in' }).getByRole('button', { name: 'Select none' });
  if (await none.count() > 0 && await none.isEnabled()) await none.click();
}

/// Applies a form and waits until it closes.
export async function apply(form: Locator): Promise<void> {
  await expect(form.getByRole('region', { name: 'Preview' })).toBeVisible();
  await form.getByRole('button', { name: 'Apply' }).click();
  await expect(form).toBeHidden();
}

/// Saves by one of the ways that *Review changes* offers: its button, or an item of the menu beside it.
export async function saveBy(review: Locator, name: string): Promise<void> {
  const button = review.getByRole('button', { name, exact: true });
  if (await button.count() > 0) return button.click();
  await review.getByRole('button', { name: 'More ways to save' }).click();
  await review.getByRole('menuitem', { name, exact: true }).click();
}

/// An edit of the fixture `harbor`: sets a skip range on the head of stable.
export async function setRange(page: Page, range: string): Promise<void> {
  await choosePackage(page, 'anchor-operator');
  const form = await command(page, 'Set skip range…');
  await field(form, 'Channel', 'stable');
  await field(form, 'Entry', 'anchor-operator.v1.2.0');
  await field(form, 'Skip range', range);
  await apply(form);
}

/// Waits until the page's journal contains the original text of this file, which is written when the page is idle.
export async function waitForOriginal(page: Page, file: string): Promise<void> {
  const lines = (): Promise<string[]> => page.evaluate(() => new Promise((resolve, fail) => {
    const opening = indexedDB.open('switchyard-journals');
    opening.onerror = () => fail(opening.error);
    opening.onupgradeneeded = () => {
      opening.transaction?.abort();
      fail(new Error('there is no journal yet'));
    };
    opening.onsuccess = () => {
      const all = opening.result.transaction('lines').objectStore('lines').getAll() as IDBRequest<string[]>;
      all.onerror = () => fail(all.error);
      all.onsuccess = () => { opening.result.close(); resolve(all.result); };
    };
  }));
  const isNoted = (line: string): boolean => line.includes('"original"') && line.includes(file);
  await expect.poll(async () => (await lines()).some(isNoted), { message: `what ${file} was is noted` }).toBe(true);
}

/// Returns a function that makes the workers seem busy, and one that ends this: what the page sends them waits
/// meanwhile. Call it before the page is opened.
export async function holdWorkers(page: Page): Promise<{ hold: () => Promise<void>; release: () => Promise<void> }> {
  await page.addInitScript(() => {
    let waiting: (() => void)[] | undefined;
    const { postMessage } = Worker.prototype;
    Worker.prototype.postMessage = function (...message: unknown[]) {
      const send = () => { (postMessage as (...of: unknown[]) => void).apply(this, message); };
      if (waiting) waiting.push(send);
      else send();
    };
    Object.assign(window, {
      __hold: () => { waiting = []; },
      __release: () => {
        const held = waiting ?? [];
        waiting = undefined;
        for (const send of held) send();
      },
    });
  });
  return {
    hold: () => page.evaluate(() => { (window as unknown as { __hold(): void }).__hold(); }),
    release: () => page.evaluate(() => { (window as unknown as { __release(): void }).__release(); }),
  };
}

/// Lets the page complete `count` writes of files; the others wait for the returned function. Call it before the page is
/// opened.
export async function holdWrites(page: Page, count: number): Promise<() => Promise<void>> {
  await page.addInitScript(count => {
    let left = count;
    let release = (): void => {};
    const released = new Promise<void>(resolve => { release = resolve; });
    const { close } = FileSystemWritableFileStream.prototype;
    FileSystemWritableFileStream.prototype.close = async function () {
      left -= 1;
      if (left < 0) await released;
      return close.call(this);
    };
    Object.assign(window, { __write: () => { release(); } });
  }, count);
  return () => page.evaluate(() => { (window as unknown as { __write(): void }).__write(); });
}

/// Every file below a folder as base64, by relative path.
export function tree(dir: string): Record<string, string> {
  const files: Record<string, string> = {};
  const visit = (at: string) => {
    for (const item of fs.readdirSync(at, { withFileTypes: true })) {
      const full = path.join(at, item.name);
      if (item.isDirectory()) visit(full);
      else files[path.relative(dir, full)] = fs.readFileSync(full).toString('base64');
    }
  };
  visit(dir);
  return files;
}
