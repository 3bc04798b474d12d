// Recovery: an undo during a save, a worker that dies, a rejected text, a folder that is opened twice.
import fs from 'node:fs';
import path from 'node:path';
import type { Locator, Page, Worker } from '@playwright/test';
import { PASSES, apply, choosePackage, command, drop, entry, expect, field, fixture, holdWorkers, holdWrites, moreCommands, openFolder, waitForOriginal, packageItem, saveBy, setRange, test, verdict } from '../harness';

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
async function findHost(page: Page): Promise<Worker> {
  for (const worker of page.workers()) if (await worker.evaluate(() => self.name) === 'host') return worker;
  throw new Error('no host');
}

/// Returns after the page has noticed the death: until then `host` would find the dead worker.
async function killWorker(page: Page): Promise<void> {
  const worker = await findHost(page);
  const ended = new Promise<unknown>(resolve => { worker.once('close', resolve); });
  await worker.evaluate(() => { setTimeout(() => { throw new WebAssembly.RuntimeError('unreachable'); }); });
  await ended;
}

test.describe('while a file is being written', () => {
  /// Starts a save of one edit, then undoes the edit during it. Returns a function that lets the save end.
  async function undoDuringSave(page: Page, dir: string): Promise<() => Promise<void>> {
    const write = await holdWrites(page, 0);
    await openFolder(page, dir);
    await setRange(page, RANGE);
    await page.keyboard.press('ControlOrMeta+s');
    await expect(review(page).locator('.save-progress')).toHaveText(/^Writing/);
    await page.keyboard.press('Escape');
    await expect(review(page)).toBeHidden();
    await page.keyboard.press('ControlOrMeta+z');
    return write;
  }

  test('an undo waits for the end of the save, and is the next change', async ({ page }) => {
    const dir = fixture('harbor');
    const write = await undoDuringSave(page, dir);
    await page.waitForTimeout(700);
    await expect(redo(page), 'not shown before it is recorded').toBeDisabled();
    expect(read(dir, ANCHOR)).not.toContain(RANGE);
    await write();
    await expect(redo(page)).toBeEnabled({ timeout: 10_000 });
    expect(read(dir, ANCHOR)).toContain(RANGE);
    await expect(unsaved(page)).toContainText('1');
    await expect(page.getByText(/differs from what was written/)).toHaveCount(0);
  });

  test('a crash during a save loses nothing visible', async ({ page, context }) => {
    const dir = fixture('harbor');
    await undoDuringSave(page, dir);
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

test('a second tab is warned that the folder is open even after the first one saved', async ({ page, context }) => {
  const dir = fixture('harbor');
  await openFolder(page, dir);
  await setRange(page, RANGE);
  await page.keyboard.press('ControlOrMeta+s');
  await expect(page.getByText(/^Saved /)).toBeVisible();
  const second = await context.newPage();
  await openFolder(second, dir);
  await expect(second.locator('.banner').getByText(/also open in another tab/)).toBeVisible({ timeout: 20_000 });
});

test('downloading all files reports an unedited file that changed on disk', async ({ page }) => {
  const dir = fixture('harbor');
  await openFolder(page, dir);
  await setRange(page, RANGE);
  fs.appendFileSync(path.join(dir, BUOY), '\n');
  await unsaved(page).click();
  await saveBy(review(page), 'Download all files');
  await expect(review(page).locator('.banner').filter({ hasText: BUOY })).toContainText(/changed on disk/);
  await expect(review(page).locator('.banner').filter({ hasText: BUOY })).toContainText(/reload/i);
});

test('opening repeatedly leaves no event listeners', async ({ page, context }) => {
  test.setTimeout(120_000);
  const dir = fixture('harbor');
  await openFolder(page, dir);
  const client = await context.newCDPSession(page);
  await client.send('Performance.enable');
  const countListeners = async (): Promise<number> => {
    await client.send('HeapProfiler.collectGarbage');
    const { metrics } = await client.send('Performance.getMetrics');
    return metrics.find(metric => metric.name === 'JSEventListeners')?.value ?? NaN;
  };
  // Work after an open ends eventually: wait until two readings are equal.
  const listeners = async (): Promise<number> => {
    let last = NaN;
    await expect.poll(async () => {
      const before = last;
      last = await countListeners();
      return last - before;
    }, { intervals: [200] }).toBe(0);
    return last;
  };
  const countOpens = (): Promise<number> => page.evaluate(() => performance.getEntriesByName('verdict').length);
  const openAgain = async (): Promise<void> => {
    const before = await countOpens();
    await drop(page, [dir]);
    await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
    await expect.poll(countOpens, { timeout: 20_000 }).toBeGreaterThan(before);
  };
  await openAgain();
  await openAgain();
  const before = await listeners();
  const OPENS = 6;
  for (let open = 0; open < OPENS; open += 1) await openAgain();
  expect(await listeners() - before).toBeLessThan(OPENS);
});

test('a rejected typed text is kept, and reported in every view', async ({ page }) => {
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
  const notice = page.locator('.banner, .source-note').filter({ hasText: 'was not applied' });
  await expect(notice.first()).toBeVisible();
  for (const other of ['Graph', 'Table']) {
    await page.getByRole('tab', { name: other }).click();
    await expect(area).toBeHidden();
    await page.getByRole('tab', { name: 'Source' }).click();
    await expect(area).toHaveValue(/# refused/);
    await expect(notice.first()).toBeVisible();
  }
  await expect(history(page)).toHaveCount(0);
  fs.writeFileSync(path.join(dir, ANCHOR), before);
  await page.getByRole('button', { name: 'Discard what was typed' }).first().click();
  await expect(area).not.toHaveValue(/# refused/);
});

test('a worker that dies after the disk changed loses no edit, and undone edits can be redone', async ({ page }) => {
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
    const notice = page.locator('.banner').getByText(/was restarted. Nothing is lost/);
    await expect(notice.first()).toBeVisible();
    expect(await notice.filter({ visible: true }).count(), 'the message is not repeated').toBe(1);
    await expect(verdict(page)).toHaveText(PASSES);
    await expect(history(page)).toHaveCount(2);
    await expect(redo(page)).toBeEnabled();
    // Wait for an answer of the current worker: a step replayed while its worker dies would be blamed for the death.
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
  // A save before the file is read again would ask about the change.
  await expect(page.locator('.banner').getByText(/earlier steps can no longer be undone/)).toBeVisible();
  await expect(unsaved(page)).toContainText('1');
  await expect(page.getByText(/set aside|could not be applied/)).toHaveCount(0);
  await page.keyboard.press('ControlOrMeta+s');
  await expect(page.getByText(/^Saved /)).toBeVisible();
  expect(read(dir, ANCHOR)).toContain(RANGE);
  expect(read(dir, ANCHOR)).toContain('# from outside');
});

test('there is a single verdict while a folder replaces another', async ({ page }) => {
  const dir = fixture('harbor');
  const workers = await holdWorkers(page);
  await openFolder(page, dir);
  await workers.hold();
  await drop(page, [dir]);
  await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
  await expect(page.getByRole('progressbar', { name: 'Opening' })).toBeVisible();
  await expect(verdict(page)).toHaveCount(1);
  await expect(verdict(page)).toHaveText('Checking…');
  await workers.release();
  await expect(verdict(page)).toHaveText(PASSES, { timeout: 20_000 });
});

test('a folder that is already open is not opened twice', async ({ page }) => {
  const dir = fixture('harbor');
  await openFolder(page, dir);
  await setRange(page, RANGE);
  await drop(page, [dir]);
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
  await expect(page.getByRole('main').getByText('Already open: harbor.')).toBeVisible();
  await expect(page.getByRole('list', { name: 'Catalogs' }).getByRole('listitem')).toHaveCount(1);
  await expect(verdict(page)).toHaveText(PASSES);
  await expect(unsaved(page)).toContainText('1');

  await test.step('a folder dropped with it is opened', async () => {
    await drop(page, [dir, fixture('reef')]);
    await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
    await expect(page.getByRole('main').getByText('Already open: harbor.')).toBeVisible();
    const catalogs = page.getByRole('list', { name: 'Catalogs' }).getByRole('listitem');
    await expect(catalogs, 'a separate catalog').toHaveCount(2);
    await page.getByRole('searchbox', { name: 'Search packages' }).fill('');
    await expect(packageItem(page, 'anchor-operator')).toHaveCount(1);
    await expect(unsaved(page), 'edits are kept').toContainText('1');
    await catalogs.filter({ hasText: 'reef' }).getByRole('button').click();
    await expect(packageItem(page, 'reef-operator')).toBeVisible();
  });
});

test('a chosen icon has the same limits as an existing one', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  const form = await command(page, 'Set icon…');
  const level = (at: number): string => `<g id="l${at}">${`<use href="#l${at - 1}"/>`.repeat(10)}</g>`;
  const svgBomb = `<svg xmlns="http://www.w3.org/2000/svg"><defs><rect id="l0"/>${[1, 2, 3, 4, 5, 6, 7, 8, 9].map(level).join('')}</defs><use href="#l9"/></svg>`;
  await form.getByLabel('Icon', { exact: true }).setInputFiles({ name: 'bomb.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(svgBomb) });
  await expect(form).toContainText(/The icon is not shown: .*draw more than 100000 shapes/);
  await expect(form.locator('img')).toHaveCount(0);
});
