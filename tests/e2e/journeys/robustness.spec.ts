// Robustness: bad archives, unreachable hosts, busy workers and changing folders affect nothing else.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Page, Worker } from '@playwright/test';
import { PASSES, UNDER_A_PATH, apply, choosePackage, command, drop, expect, field, fixture, openFolder, packageItem, start, test, verdict } from '../harness';

const scratch = (): string => fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-hold-'));

/// A file that is not an archive, despite its extension.
function writeFakeArchive(): string {
  const file = path.join(scratch(), 'bad.zip');
  fs.writeFileSync(file, 'PK\u0003\u0004 and nothing that a zip has');
  return file;
}

test.describe('an unreachable host', () => {
  // Its own browser: requests are blocked in the whole browser.
  test.use({ profile: 'own' });

  for (const [how, withoutScript] of [['with its embedded script', false], ['without any reader', true]] as const)
    test(`a page whose host is unreachable opens ${how}`, async ({ page }) => {
      await start(page);
      await drop(page, [fixture('harbor')]);
      await expect(verdict(page)).toHaveText(PASSES);
      await page.context().route('**/*', route => route.abort());
      if (withoutScript) await page.evaluate(() => document.querySelector('script[data-worker]')?.removeAttribute('data-worker'));
      const other = fixture('harbor');
      fs.rmSync(path.join(other, 'buoy-operator'), { recursive: true });
      await drop(page, [other]);
      await page.getByRole('dialog').getByRole('button', { name: /Replace/ }).click();
      await expect(packageItem(page, 'buoy-operator')).toBeHidden();
      await expect(verdict(page)).toHaveText(PASSES);
      await expect(packageItem(page, 'anchor-operator')).toBeVisible();
    });
});

test('several refused archives cause one notice, which the next open removes', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await drop(page, [writeFakeArchive()]);
    await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
    await expect(page.locator('.banner').filter({ hasText: 'bad.zip' })).toHaveCount(1);
  }
  await drop(page, [fixture('harbor')]);
  await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
  await expect(verdict(page)).toHaveText(PASSES);
  await expect(page.locator('.banner').filter({ hasText: 'bad.zip' })).toHaveCount(0);
});

test('a symbolic link in the Git index is reported, and the verdict mentions what browsers cannot see', async ({ page }) => {
  const dir = fixture('harbor');
  await openFolder(page, dir);
  await expect(verdict(page)).toHaveText(PASSES);
  await expect(verdict(page)).toHaveAccessibleDescription(/symbolic links/);
  const repository = path.join(scratch(), 'repository');
  fs.cpSync(dir, path.join(repository, 'catalogs/v4.18'), { recursive: true });
  fs.cpSync(dir, path.join(repository, 'catalogs/v4.19'), { recursive: true });
  fs.symlinkSync('../../v4.18/buoy-operator/catalog.json', path.join(repository, 'catalogs/v4.19/buoy-operator/again.json'));
  const git = (...args: string[]): Buffer => execFileSync('git', ['-C', repository, ...args]);
  git('init', '-q');
  git('add', '.');
  await drop(page, [repository]);
  await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
  const catalogs = page.getByRole('list', { name: 'Catalogs' }).or(page.getByRole('listbox', { name: 'Catalogs' }));
  await expect(catalogs.getByText('v4.19')).toBeVisible();
  await catalogs.getByText('v4.19').click();
  await expect(verdict(page)).toHaveText(/Fails opm validate: 1 error/);
  await expect(page.getByRole('region', { name: 'Problems' }).getByText(/symbolic link/).first()).toBeVisible();
});

/// The worker that owns the session.
async function findHost(page: Page): Promise<Worker> {
  for (const worker of page.workers()) if (await worker.evaluate(() => self.name) === 'host') return worker;
  throw new Error('no host');
}

test('a hanging worker can be abandoned, and everything is restored', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  const form = await command(page, 'Set default channel…');
  await field(form, 'Channel', 'candidate');
  await apply(form);
  const worker = await findHost(page);
  void worker.evaluate(() => { const end = Date.now() + 60_000; while (Date.now() < end); }).catch(() => undefined);
  await page.keyboard.press('ControlOrMeta+z');
  const busy = page.getByRole('group', { name: 'Busy' });
  await expect(busy.getByRole('button', { name: 'Cancel' })).toBeVisible({ timeout: 4_000 });
  await expect(busy.getByRole('button', { name: 'Restart the worker' })).toBeHidden();
  await expect(busy.getByRole('button', { name: 'Restart the worker' })).toBeVisible({ timeout: 10_000 });
  await busy.getByRole('button', { name: 'Cancel' }).click();
  await expect(busy).toBeHidden();
  // The undo was abandoned; the edit is still there.
  await expect(page.getByRole('button', { name: /^Review and save/ })).toHaveAccessibleName(/1/);
  await expect(async () => {
    await page.keyboard.press('ControlOrMeta+z');
    await expect(page.getByRole('button', { name: 'Undo', exact: true }).first()).toBeDisabled({ timeout: 2_000 });
  }).toPass({ timeout: 15_000 });
});

test('an open without progress can be cancelled', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  const worker = await findHost(page);
  void worker.evaluate(() => { const end = Date.now() + 60_000; while (Date.now() < end); }).catch(() => undefined);
  await drop(page, [fixture('harbor')]);
  await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
  // The other *Cancel* belongs to the question that the worker does not answer.
  await page.getByRole('button', { name: 'Cancel' }).last().click();
  await expect(verdict(page)).toHaveText(PASSES, { timeout: 15_000 });
});

test('only changed files are read again, and files outside of catalogs are ignored', async ({ page }) => {
  const parent = scratch();
  for (const version of ['v4.18', 'v4.19']) fs.cpSync(fixture('harbor'), path.join(parent, version), { recursive: true });
  fs.writeFileSync(path.join(parent, 'build.log'), 'one\n');
  await openFolder(page, parent);
  const countOpens = (): Promise<number> => page.evaluate(() => performance.getEntriesByName('open').length);
  const before = await countOpens();
  for (let line = 0; line < 5; line += 1) {
    fs.appendFileSync(path.join(parent, 'build.log'), 'more\n');
    await page.evaluate(() => dispatchEvent(new Event('focus')));
    await page.waitForTimeout(800);
  }
  expect(await countOpens(), 'a log is not part of a catalog').toBe(before);
  fs.appendFileSync(path.join(parent, 'v4.18/anchor-operator/catalog.yaml'), '# a note\n');
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  await expect(page.getByText('Files changed on disk and were read again.')).toBeVisible();
  await expect(verdict(page)).toHaveText(PASSES);
});

test('a page that does not start says what it waits for', async ({ page }) => {
  await page.route('**/boot.js?*', route => route.abort());
  await page.goto(UNDER_A_PATH);
  await expect(page.getByRole('status')).toHaveText(/Loading the program/);
  await expect(page.getByRole('button', { name: 'Open folder…' }), 'nothing would handle it').toBeDisabled();
  const hint = page.getByText(/needs a web server/);
  await expect(hint).toBeHidden();
  await page.evaluate(() => document.getAnimations().forEach(animation => animation.finish()));
  await expect(hint).toBeVisible();
  await expect(page.getByText('python3 -m http.server 8000')).toBeVisible();
});

test('a page without its program says that it could not be started', async ({ page }) => {
  await page.route('**/*.wasm', route => route.abort());
  await page.goto(UNDER_A_PATH);
  await expect(page.getByText(/The page could not be started/)).toBeVisible();
  await expect(page.getByText(/has crashed/)).toHaveCount(0);
});

test('a drop before the workers\' program is loaded is opened afterwards', async ({ page }) => {
  let release = (): void => {};
  const released = new Promise<void>(resolve => { release = resolve; });
  await page.route('**/worker-*.wasm', async route => {
    await released;
    await route.continue();
  });
  await start(page);
  await expect(page.getByRole('progressbar', { name: 'Loading the rest of the program' })).toBeVisible();
  await drop(page, [fixture('harbor')]);
  await expect(page.getByRole('progressbar', { name: 'Opening' })).toBeVisible();
  // Longer than the timeout for a silent worker.
  await page.waitForTimeout(4_000);
  await expect(page.getByText(/takes long|not answer|crashed/i)).toHaveCount(0);
  release();
  await expect(verdict(page)).toHaveText(PASSES);
});

test('a missing workers\' program is reported with advice', async ({ page }) => {
  await page.route('**/worker-*.wasm', route => route.abort());
  await page.goto(UNDER_A_PATH);
  await expect(page.getByText(/rest of the program could not be loaded.*load the page again/i).first()).toBeVisible();
});

test('a part of the program that is missing is reported where it belongs, and loaded on request', async ({ page }) => {
  await page.route('**/page-*-split_*.wasm', route => route.abort());
  await openFolder(page, fixture('harbor'));
  await page.getByRole('tab', { name: 'Table' }).click();
  const table = page.getByRole('tabpanel', { name: 'Table' });
  await expect(table.getByText('could not be loaded')).toBeVisible();
  await expect(page.getByRole('alert')).toContainText('could not be loaded');
  await page.keyboard.press('Control+k');
  const notLoaded = page.getByRole('dialog', { name: 'Not loaded' });
  await expect(notLoaded.getByText('Your edits are kept.')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(notLoaded).toHaveCount(0);
  await page.unroute('**/page-*-split_*.wasm');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('grid', { name: /^Entries of / })).toBeVisible();
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('dialog', { name: 'Command palette' })).toBeVisible();
});

test.describe('saving', () => {
  test.use({ guards: { write: 1, read: 1 } });

  test('file names that the browser cannot write are reported before the save', async ({ page }) => {
    const dir = fixture('harbor');
    fs.renameSync(path.join(dir, 'anchor-operator/catalog.yaml'), path.join(dir, 'anchor-operator/cata:log.yaml'));
    await openFolder(page, dir);
    await choosePackage(page, 'anchor-operator');
    const form = await command(page, 'Set default channel…');
    await field(form, 'Channel', 'candidate');
    await apply(form);
    await page.getByRole('button', { name: /^Review and save/ }).click();
    const review = page.getByRole('dialog', { name: 'Review changes' });
    await expect(review.getByText(/cata:log\.yaml: the browser cannot write a file with this name; download/)).toBeVisible();
    await review.getByRole('button', { name: 'Save to disk' }).click();
    await expect(review.getByRole('list', { name: 'Not written' })).toContainText('zip');
  });

  test('an archive cannot be saved in place', async ({ page }) => {
    const archive = path.join(scratch(), 'harbor.tar.gz');
    execFileSync('tar', ['-czf', archive, '-C', fixture('harbor'), '.']);
    await start(page);
    await drop(page, [archive]);
    await expect(verdict(page)).toHaveText(PASSES);
    await choosePackage(page, 'anchor-operator');
    const form = await command(page, 'Set default channel…');
    await field(form, 'Channel', 'candidate');
    await apply(form);
    await page.getByRole('button', { name: /^Review and save/ }).click();
    const review = page.getByRole('dialog', { name: 'Review changes' });
    await review.getByRole('button', { name: 'More ways to save' }).click();
    await expect(review.getByRole('menuitem', { name: 'Download all files' })).toBeVisible();
    await expect(review.getByText('Save to disk', { exact: true })).toHaveCount(0);
  });
});
