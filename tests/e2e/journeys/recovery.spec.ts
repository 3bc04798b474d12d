// What was made is there again: after a save that an undo came into, a worker that died, a text that was refused, a folder
// that is given twice.
import fs from 'node:fs';
import path from 'node:path';
import type { Locator, Page, Worker } from '@playwright/test';
import { PASSES, apply, choosePackage, command, drop, entry, expect, field, fixture, moreCommands, openFolder, waitForOriginal, packageItem, saveBy, setRange, test, verdict } from '../harness';

const ANCHOR = 'anchor-operator/catalog.yaml';
const BUOY = 'buoy-operator/catalog.json';
const RANGE = '>=0.9.0 <1.2.0';

test.use({ guards: { write: 1, read: 1 } });

const review = (page: Page): Locator => page.getByRole('dialog', { name: 'Review changes' });
const unsaved = (page: Page): Locator => page.getByRole('button', { name: /Review and save/ });
const history = (page: Page): Locator => page.getByRole('list', { name: 'History' }).getByRole('button');
const redo = (page: Page): Locator => page.getByRole('button', { name: 'Redo', exact: true }).first();
const read = (dir: string, file: string): string => fs.readFileSync(path.join(dir, file), 'utf8');

/// The worker that owns the session.
async function host(page: Page): Promise<Worker> {
  for (const worker of page.workers()) if (await worker.evaluate(() => self.name) === 'host') return worker;
  throw new Error('no host');
}

/// Ends when the page has ended it: until then it would be found as the host again.
async function killWorker(page: Page): Promise<void> {
  const worker = await host(page);
  const ended = new Promise<unknown>(resolve => { worker.once('close', resolve); });
  await worker.evaluate(() => { setTimeout(() => { throw new WebAssembly.RuntimeError('unreachable'); }); });
  await ended;
}

test.describe('while a file is being written', () => {
  test.beforeEach(async ({ context }) => {
    await context.addInitScript(() => {
      const { close } = FileSystemWritableFileStream.prototype;
      FileSystemWritableFileStream.prototype.close = async function () {
        await new Promise(later => { setTimeout(later, 2_500); });
        return close.call(this);
      };
    });
  });

  /// One edit that is being written, and an undo that came meanwhile.
  async function undone(page: Page, dir: string): Promise<void> {
    await openFolder(page, dir);
    await setRange(page, RANGE);
    await page.keyboard.press('ControlOrMeta+s');
    await expect(review(page).locator('.save-progress')).toHaveText(/^Writing/);
    await page.keyboard.press('Escape');
    await expect(review(page)).toBeHidden();
    await page.keyboard.press('ControlOrMeta+z');
  }

  test('an undo waits until it is written, and is the next change', async ({ page }) => {
    const dir = fixture('harbor');
    await undone(page, dir);
    await page.waitForTimeout(700);
    await expect(redo(page), 'it is not shown before it can be kept').toBeDisabled();
    expect(read(dir, ANCHOR)).not.toContain(RANGE);
    await expect(redo(page)).toBeEnabled({ timeout: 10_000 });
    expect(read(dir, ANCHOR)).toContain(RANGE);
    await expect(unsaved(page)).toContainText('1');
    await expect(page.getByText(/differs from what was written/)).toHaveCount(0);
  });

  test('a crash then loses nothing that was shown', async ({ page, context }) => {
    const dir = fixture('harbor');
    await undone(page, dir);
    await page.waitForTimeout(500);
    const next = await context.newPage();
    await page.close({ runBeforeUnload: false });
    expect(read(dir, ANCHOR)).not.toContain(RANGE);
    await openFolder(next, dir);
    await next.getByRole('button', { name: /^Continue with/ }).click();
    await expect(history(next)).toHaveCount(1);
    await expect(unsaved(next)).toContainText('1');
  });
});

test('after the first tab has saved a second one is told that the folder is open there', async ({ page, context }) => {
  const dir = fixture('harbor');
  await openFolder(page, dir);
  await setRange(page, RANGE);
  await page.keyboard.press('ControlOrMeta+s');
  await expect(page.getByText(/^Saved /)).toBeVisible();
  const second = await context.newPage();
  await openFolder(second, dir);
  await expect(second.locator('.banner').getByText(/also open in another tab/)).toBeVisible({ timeout: 20_000 });
});

test('where a file that is not edited changed on disk, downloading all says so where it is seen', async ({ page }) => {
  const dir = fixture('harbor');
  await openFolder(page, dir);
  await setRange(page, RANGE);
  fs.appendFileSync(path.join(dir, BUOY), '\n');
  await unsaved(page).click();
  await saveBy(review(page), 'Download all files');
  await expect(review(page).locator('.banner').filter({ hasText: BUOY })).toContainText(/changed on disk/);
  await expect(review(page).locator('.banner').filter({ hasText: BUOY })).toContainText(/reload/i);
});

test('opening again and again leaves no listeners', async ({ page, context }) => {
  test.setTimeout(120_000);
  const dir = fixture('harbor');
  await openFolder(page, dir);
  const client = await context.newCDPSession(page);
  await client.send('Performance.enable');
  const now = async (): Promise<number> => {
    await client.send('HeapProfiler.collectGarbage');
    const { metrics } = await client.send('Performance.getMetrics');
    return metrics.find(metric => metric.name === 'JSEventListeners')?.value ?? NaN;
  };
  // What an open leaves to be done afterwards has an end: then two readings are alike.
  const listeners = async (): Promise<number> => {
    let last = NaN;
    await expect.poll(async () => {
      const before = last;
      last = await now();
      return last - before;
    }, { intervals: [200] }).toBe(0);
    return last;
  };
  const opened = (): Promise<number> => page.evaluate(() => performance.getEntriesByName('verdict').length);
  const again = async (): Promise<void> => {
    const before = await opened();
    await drop(page, [dir]);
    await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
    await expect.poll(opened, { timeout: 20_000 }).toBeGreaterThan(before);
  };
  await again();
  await again();
  const before = await listeners();
  const OPENS = 6;
  for (let open = 0; open < OPENS; open += 1) await again();
  expect(await listeners() - before).toBeLessThan(OPENS);
});

test('a typed text that was refused stays, and is told wherever one looks', async ({ page }) => {
  const dir = fixture('harbor');
  await openFolder(page, dir);
  await choosePackage(page, 'anchor-operator');
  await entry(page, 'anchor-operator.v1.2.0', 'stable').click();
  await moreCommands(page, 'Show in source');
  const area = page.getByRole('textbox', { name: `Text: Source of ${ANCHOR}` });
  await expect(area).toBeVisible();
  const before = read(dir, ANCHOR);
  fs.writeFileSync(path.join(dir, ANCHOR), `${before}# one line more\n`);
  await area.evaluate((element: HTMLTextAreaElement) => {
    element.focus();
    element.setSelectionRange(0, 0);
    element.dispatchEvent(new KeyboardEvent('keyup'));
  });
  await page.keyboard.type('# refused');
  const told = page.locator('.banner, .source-note').filter({ hasText: 'was not applied' });
  await expect(told.first()).toBeVisible();
  for (const other of ['Graph', 'Table']) {
    await page.getByRole('tab', { name: other }).click();
    await expect(area).toBeHidden();
    await page.getByRole('tab', { name: 'Source' }).click();
    await expect(area).toHaveValue(/# refused/);
    await expect(told.first()).toBeVisible();
  }
  await expect(history(page)).toHaveCount(0);
  fs.writeFileSync(path.join(dir, ANCHOR), before);
  await page.getByRole('button', { name: 'Discard what was typed' }).first().click();
  await expect(area).not.toHaveValue(/# refused/);
});

test('a worker that dies after the disk changed costs no edit, and undone ones can be done again', async ({ page }) => {
  const dir = fixture('harbor');
  await openFolder(page, dir);
  await setRange(page, RANGE);
  const form = await command(page, 'Set default channel…');
  await field(form, 'Channel', 'candidate');
  await apply(form);
  await page.keyboard.press('ControlOrMeta+z');
  await expect(redo(page)).toBeEnabled();
  await waitForOriginal(page, ANCHOR);
  fs.appendFileSync(path.join(dir, ANCHOR), '# from outside\n');
  for (let deaths = 1; deaths <= 3; deaths += 1) {
    await killWorker(page);
    const told = page.locator('.banner').getByText(/was restarted. Nothing is lost/);
    await expect(told.first()).toBeVisible();
    expect(await told.filter({ visible: true }).count(), 'what is said again is one message').toBe(1);
    await expect(verdict(page)).toHaveText(PASSES);
    await expect(history(page)).toHaveCount(2);
    await expect(redo(page)).toBeEnabled();
    // Only a worker that is up to date answers. A step that is replayed while its worker dies would be blamed for it.
    await page.keyboard.press('ControlOrMeta+k');
    const palette = page.getByRole('dialog', { name: 'Command palette' });
    await page.keyboard.type(`anchor-operator.v1.${deaths}`);
    await expect(palette.getByRole('option', { name: new RegExp(`^anchor-operator\\.v1\\.${deaths}`) }).first()).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(palette).toBeHidden();
  }
  await expect(page.getByText(/set aside|could not be applied/)).toHaveCount(0);
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  await page.getByRole('button', { name: 'Reload', exact: true }).click();
  // A save before the file is read again would ask what to do about the change.
  await expect(page.locator('.banner').getByText(/earlier steps can no longer be undone/)).toBeVisible();
  await expect(unsaved(page)).toContainText('1');
  await expect(page.getByText(/set aside|could not be applied/)).toHaveCount(0);
  await page.keyboard.press('ControlOrMeta+s');
  await expect(page.getByText(/^Saved /)).toBeVisible();
  expect(read(dir, ANCHOR)).toContain(RANGE);
  expect(read(dir, ANCHOR)).toContain('# from outside');
});

test('there is one verdict while a folder is opened over another', async ({ page }) => {
  const dir = fixture('harbor');
  await openFolder(page, dir);
  const worker = await host(page);
  void worker.evaluate(() => { const end = Date.now() + 4_000; while (Date.now() < end); }).catch(() => undefined);
  await drop(page, [dir]);
  await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
  await expect(page.getByRole('progressbar', { name: 'Opening' })).toBeVisible();
  await expect(verdict(page)).toHaveCount(1);
  await expect(verdict(page)).toHaveText('Checking…');
  await expect(verdict(page)).toHaveText(PASSES, { timeout: 20_000 });
});

test('a folder that is open already is not opened a second time', async ({ page }) => {
  const dir = fixture('harbor');
  await openFolder(page, dir);
  await setRange(page, RANGE);
  await drop(page, [dir]);
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
  await expect(page.getByRole('main').getByText('Already open: harbor.')).toBeVisible();
  await expect(page.getByRole('list', { name: 'Catalogs' }).getByRole('listitem')).toHaveCount(1);
  await expect(verdict(page)).toHaveText(PASSES);
  await expect(unsaved(page)).toContainText('1');

  await test.step('what is beside it is', async () => {
    await drop(page, [dir, fixture('reef')]);
    await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
    await expect(page.getByRole('main').getByText('Already open: harbor.')).toBeVisible();
    const catalogs = page.getByRole('list', { name: 'Catalogs' }).getByRole('listitem');
    await expect(catalogs, 'it is a catalog of its own').toHaveCount(2);
    await page.getByRole('searchbox', { name: 'Search packages' }).fill('');
    await expect(packageItem(page, 'anchor-operator')).toHaveCount(1);
    await expect(unsaved(page), 'what is edited stays so').toContainText('1');
    await catalogs.filter({ hasText: 'reef' }).getByRole('button').click();
    await expect(packageItem(page, 'reef-operator')).toBeVisible();
  });
});

test('a picture that is chosen for an icon has the limits of one that is there', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  const form = await command(page, 'Set icon…');
  const level = (at: number): string => `<g id="l${at}">${`<use href="#l${at - 1}"/>`.repeat(10)}</g>`;
  const bomb = `<svg xmlns="http://www.w3.org/2000/svg"><defs><rect id="l0"/>${[1, 2, 3, 4, 5, 6, 7, 8, 9].map(level).join('')}</defs><use href="#l9"/></svg>`;
  await form.getByLabel('Icon', { exact: true }).setInputFiles({ name: 'bomb.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(bomb) });
  await expect(form).toContainText(/The icon is not shown: .*more than a billion shapes/);
  await expect(form.locator('img')).toHaveCount(0);
});
