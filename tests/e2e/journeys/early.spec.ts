// The start page before its program is loaded accepts drops and picks, says so, and loses nothing.
import type { Page } from '@playwright/test';
import { PASSES, UNDER_A_PATH, accessible, drop, expect, fixture, packageItem, preparePicker, test, verdict } from '../harness';

// In the other shared browser the program would be compiled already.
test.use({ profile: 'cold' });

/// Opens the page and delays its program until the returned function is called.
async function openEarly(page: Page): Promise<() => void> {
  let release = (): void => {};
  const released = new Promise<void>(resolve => { release = resolve; });
  await page.route('**/page-*.wasm', async route => {
    await released;
    await route.continue();
  });
  await page.goto(UNDER_A_PATH, { waitUntil: 'commit' });
  await expect(page.getByRole('button', { name: 'Open folder…' })).toBeEnabled();
  return release;
}

const waiting = (page: Page) => page.getByText('What you chose opens as soon as the program is loaded.');

test('a drop before the program is loaded is opened afterwards', async ({ page, violations }) => {
  const finishLoading = await openEarly(page);
  await expect(page.getByRole('progressbar', { name: 'Loading the program' })).toBeVisible();
  await expect(waiting(page)).toBeHidden();
  await accessible(page, 'the start page before its program');
  await drop(page, [fixture('harbor')]);
  await expect(waiting(page)).toBeVisible();
  finishLoading();
  await expect(verdict(page)).toHaveText(PASSES);
  await expect(packageItem(page, 'anchor-operator')).toBeVisible();
  await expect(page.locator('#start')).toHaveCount(0);
  expect(violations).toEqual([]);
});

test('the last of several drops before the program is loaded is opened', async ({ page }) => {
  const finishLoading = await openEarly(page);
  await page.getByRole('button', { name: 'Try a sample' }).click();
  await drop(page, [fixture('reef')]);
  await drop(page, [fixture('harbor')]);
  finishLoading();
  await expect(verdict(page)).toHaveText(PASSES);
  await expect(packageItem(page, 'anchor-operator')).toBeVisible();
  await expect(page.getByRole('list', { name: 'Catalogs' }).getByRole('listitem')).toHaveCount(1);
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('the focus stays in place when the program starts', async ({ page }) => {
  const finishLoading = await openEarly(page);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  const files = page.getByRole('button', { name: 'Open files…' });
  await expect(files).toBeFocused();
  finishLoading();
  await expect(page.locator('#boot')).toHaveCount(0);
  await expect(files).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(packageItem(page, 'lantern')).toBeVisible();
});

test('a folder picked before the program is loaded is opened afterwards', async ({ page }) => {
  const answer = await preparePicker(page);
  const finishLoading = await openEarly(page);
  await answer(fixture('harbor'));
  await page.getByRole('button', { name: 'Open folder…' }).press('Enter');
  await expect(waiting(page)).toBeVisible();
  finishLoading();
  await expect(packageItem(page, 'anchor-operator')).toBeVisible();
});

test('chosen files and the sample are opened once the program is loaded', async ({ page }) => {
  let finishLoading = await openEarly(page);
  await page.getByLabel('Catalog files').setInputFiles([`${fixture('harbor')}/anchor-operator/catalog.yaml`]);
  await expect(waiting(page)).toBeVisible();
  finishLoading();
  await expect(packageItem(page, 'anchor-operator')).toBeVisible();

  finishLoading = await openEarly(page);
  await page.getByRole('button', { name: 'Try a sample' }).click();
  finishLoading();
  await expect(packageItem(page, 'lantern')).toBeVisible();
});

test('a picker that is open when the program starts is answered', async ({ page }) => {
  await page.addInitScript(() => {
    const picked = new Promise(resolve => { Object.assign(window, { __pick: resolve }); });
    Object.assign(window, { showDirectoryPicker: () => picked });
  });
  const finishLoading = await openEarly(page);
  await page.getByRole('button', { name: 'Open folder…' }).click();
  finishLoading();
  await expect(page.locator('#boot')).toHaveCount(0);
  await expect(waiting(page)).toHaveCount(0);
  await page.evaluate(async () => {
    const top = await (await navigator.storage.getDirectory()).getDirectoryHandle('picked', { create: true });
    const file = await (await top.getFileHandle('catalog.yaml', { create: true })).createWritable();
    await file.write('schema: olm.package\nname: late-operator\ndefaultChannel: stable\n');
    await file.close();
    (window as unknown as { __pick(handle: FileSystemDirectoryHandle): void }).__pick(top);
  });
  await expect(packageItem(page, 'late-operator')).toBeVisible();
});

test('the start page has the chosen theme before its program is loaded', async ({ page }) => {
  await page.addInitScript(() => localStorage.setItem('switchyard.theme', 'dark'));
  await openEarly(page);
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
});

test('a new catalog requested before the program is loaded is created afterwards', async ({ page }) => {
  const finishLoading = await openEarly(page);
  await page.getByRole('button', { name: 'New catalog…' }).click();
  await expect(waiting(page)).toBeVisible();
  finishLoading();
  const dialog = page.getByRole('dialog', { name: 'New catalog' });
  await expect(dialog.getByLabel('Name')).toHaveValue('catalog');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await expect(page.getByRole('heading', { name: 'catalog has no packages yet' })).toBeVisible();
});

type Rehearsal = { answers: number };

/// The rehearsal that the worker has run before the first drop, if any.
const findRehearsal = (page: Page) => page.evaluate(() =>
  (performance.getEntriesByName('warm-up')[0] as PerformanceMeasure | undefined)?.detail as Rehearsal | undefined);

/// Marks the document when the page sends the worker the rehearsal.
async function markRehearsal(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const post = Worker.prototype.postMessage as (...args: unknown[]) => void;
    Worker.prototype.postMessage = function (this: Worker, ...args: unknown[]) {
      if (Array.isArray(args[0]) && args[0][0] === 'warm-up') document.documentElement.dataset.warms = '';
      post.apply(this, args);
    } as Worker['postMessage'];
  });
}

const rehearsalMark = (page: Page) => page.locator('html[data-warms]');

test('the worker rehearses a drop before the first one and leaves no trace', async ({ page }) => {
  const finishLoading = await openEarly(page);
  finishLoading();
  await expect.poll(() => findRehearsal(page)).toBeTruthy();
  // All queries of the first view.
  expect((await findRehearsal(page))!.answers).toBeGreaterThanOrEqual(5);
  expect(page.url()).toBe(UNDER_A_PATH);
  await expect(page.getByRole('heading', { name: 'Switchyard' })).toBeVisible();
  await expect(page.getByRole('alert')).toHaveText('');
  expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([]);
  expect(await page.evaluate(async () => {
    const names = (await indexedDB.databases()).map(({ name }) => name!);
    const open = (name: string) => new Promise<IDBDatabase>(done => {
      const openRequest = indexedDB.open(name);
      openRequest.onsuccess = () => done(openRequest.result);
    });
    const counts = await Promise.all(names.map(async name => {
      const database = await open(name);
      const stores = [...database.objectStoreNames];
      const counts = await Promise.all(stores.map(store => new Promise<number>(done => {
        const countRequest = database.transaction(store).objectStore(store).count();
        countRequest.onsuccess = () => done(countRequest.result);
      })));
      database.close();
      return counts.reduce((sum, count) => sum + count, 0);
    }));
    return counts.reduce((sum, count) => sum + count, 0);
  })).toBe(0);
  await drop(page, [fixture('harbor')]);
  await expect(verdict(page)).toHaveText(PASSES);
  await expect(page.getByRole('list', { name: 'Catalogs' }).getByRole('listitem')).toHaveCount(1);
});

/// The number of workbenches that were built.
const countWorkbenches = (page: Page) => page.evaluate(() => performance.getEntriesByName('workbench').length);

test('the workbench is built before the first drop, outside the document, and then shown', async ({ page }) => {
  // The page has one footer, the bar at the bottom.
  await page.addInitScript(() => {
    const created = { footers: 0 };
    Object.assign(window, { __made: created });
    const create = Document.prototype.createElement as (...args: unknown[]) => HTMLElement;
    Document.prototype.createElement = function (this: Document, ...args: unknown[]) {
      if (args[0] === 'footer') created.footers += 1;
      return create.apply(this, args);
    } as Document['createElement'];
  });
  const footers = () => page.evaluate(() => (window as unknown as { __made: { footers: number } }).__made.footers);
  const finishLoading = await openEarly(page);
  finishLoading();
  await expect.poll(() => countWorkbenches(page)).toBe(1);
  await expect(page.locator('.workbench')).toHaveCount(0);
  expect(await footers()).toBe(1);
  await drop(page, [fixture('harbor')]);
  await expect(verdict(page)).toHaveText(PASSES);
  await expect(page.locator('.workbench')).toHaveCount(1);
  expect(await footers()).toBe(1);
});

/// The number of frames from the drop until the verdict and the lanes appear.
const firstFrames = (page: Page) => page.evaluate(() => (window as unknown as { __frames: { verdict?: number; lanes?: number } }).__frames);

test('the verdict is painted before the lanes', async ({ page }) => {
  const finishLoading = await openEarly(page);
  finishLoading();
  await expect(page.locator('#boot')).toHaveCount(0);
  await page.evaluate(() => {
    const frames: { verdict?: number; lanes?: number } = {};
    (window as unknown as { __frames: typeof frames }).__frames = frames;
    let frame = 0;
    const look = () => {
      frame += 1;
      if (/opm validate/.test(document.querySelector('[role=status][aria-label=Verdict]')?.textContent ?? '')) frames.verdict ??= frame;
      if (document.querySelector('[aria-label^="Upgrade graph of "] [role=button]')) frames.lanes ??= frame;
      if (frames.lanes === undefined) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await drop(page, [fixture('harbor')]);
  await expect.poll(async () => (await firstFrames(page)).lanes ?? 0).toBeGreaterThan(0);
  const { verdict: verdictFrame = Infinity, lanes = 0 } = await firstFrames(page);
  expect(verdictFrame).toBeLessThan(lanes);
});

test('a drop during the rehearsal is answered correctly', async ({ page }) => {
  await markRehearsal(page);
  const finishLoading = await openEarly(page);
  finishLoading();
  await expect(rehearsalMark(page)).toHaveCount(1);
  await drop(page, [fixture('harbor')]);
  await expect(verdict(page)).toHaveText(PASSES);
  await expect(packageItem(page, 'anchor-operator')).toBeVisible();
  await expect(page.getByRole('list', { name: 'Catalogs' }).getByRole('listitem')).toHaveCount(1);
});

test('in data-saver mode nothing is rehearsed', async ({ page }) => {
  await markRehearsal(page);
  await page.addInitScript(() => Object.defineProperty(navigator, 'connection', { value: { saveData: true } }));
  const finishLoading = await openEarly(page);
  finishLoading();
  await expect(page.locator('#boot')).toHaveCount(0);
  await drop(page, [fixture('harbor')]);
  await expect(verdict(page)).toHaveText(PASSES);
  await expect(rehearsalMark(page)).toHaveCount(0);
  expect(await findRehearsal(page)).toBeUndefined();
  expect(await countWorkbenches(page)).toBe(0);
});
