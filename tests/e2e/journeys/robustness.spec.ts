// The page holds: bad archives, hosts that are gone, busy workers, folders that change spoil nothing but themselves.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Page, Worker } from '@playwright/test';
import { PASSES, UNDER_A_PATH, apply, choosePackage, command, drop, expect, field, fixture, openFolder, packageItem, start, test, verdict } from '../harness';

// A browser of its own: what a page asks for is kept from it in the whole browser.
test.use({ profile: 'own' });

const scratch = (): string => fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-hold-'));

/// A file that is no archive, whatever its name says.
function noArchive(): string {
  const file = path.join(scratch(), 'bad.zip');
  fs.writeFileSync(file, 'PK\u0003\u0004 and nothing that a zip has');
  return file;
}

test('after a refused archive the next open ends', async ({ page }) => {
  await start(page);
  await page.getByLabel('Catalog files').setInputFiles([noArchive()]);
  await expect(page.getByText(/`?bad\.zip`? was not opened/).first()).toBeVisible();
  await drop(page, [fixture('harbor')]);
  await expect(verdict(page)).toHaveText(PASSES, { timeout: 15_000 });
});

for (const [how, withoutScript] of [['with the script that it kept', false], ['without any reader', true]] as const)
  test(`a page whose host is gone opens ${how}`, async ({ page }) => {
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

test('many refused archives are one notice, and it goes with the next open', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  for (let times = 0; times < 3; times += 1) {
    await drop(page, [noArchive()]);
    await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
    await expect(page.locator('.banner').filter({ hasText: 'bad.zip' })).toHaveCount(1);
  }
  await drop(page, [fixture('harbor')]);
  await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
  await expect(verdict(page)).toHaveText(PASSES);
  await expect(page.locator('.banner').filter({ hasText: 'bad.zip' })).toHaveCount(0);
});

test('a link that the Git index names is told, and the verdict says what a browser does not see', async ({ page }) => {
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
async function host(page: Page): Promise<Worker> {
  for (const worker of page.workers()) if (await worker.evaluate(() => self.name) === 'host') return worker;
  throw new Error('no host');
}

test('a worker that says nothing can be left, and everything is there again', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  const form = await command(page, 'Set default channel…');
  await field(form, 'Channel', 'candidate');
  await apply(form);
  const worker = await host(page);
  void worker.evaluate(() => { const end = Date.now() + 60_000; while (Date.now() < end); }).catch(() => undefined);
  await page.keyboard.press('ControlOrMeta+z');
  const busy = page.getByRole('group', { name: 'Busy' });
  await expect(busy.getByRole('button', { name: 'Cancel' })).toBeVisible({ timeout: 4_000 });
  await expect(busy.getByRole('button', { name: 'Restart the worker' })).toBeHidden();
  await expect(busy.getByRole('button', { name: 'Restart the worker' })).toBeVisible({ timeout: 10_000 });
  await busy.getByRole('button', { name: 'Cancel' }).click();
  await expect(busy).toBeHidden();
  // The undo was given up; the edit is there.
  await expect(page.getByRole('button', { name: /^Review and save/ })).toHaveAccessibleName(/1/);
  await expect(async () => {
    await page.keyboard.press('ControlOrMeta+z');
    await expect(page.getByRole('button', { name: 'Undo', exact: true }).first()).toBeDisabled({ timeout: 2_000 });
  }).toPass({ timeout: 15_000 });
});

test('an open that hears nothing is cancelled all the same', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  const worker = await host(page);
  void worker.evaluate(() => { const end = Date.now() + 60_000; while (Date.now() < end); }).catch(() => undefined);
  await drop(page, [fixture('harbor')]);
  await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
  // Another *Cancel* is that of the question which the worker does not answer.
  await page.getByRole('button', { name: 'Cancel' }).last().click();
  await expect(verdict(page)).toHaveText(PASSES, { timeout: 15_000 });
});

test('only what changed is read again, and what no catalog reads does not matter', async ({ page }) => {
  const parent = scratch();
  for (const version of ['v4.18', 'v4.19']) fs.cpSync(fixture('harbor'), path.join(parent, version), { recursive: true });
  fs.writeFileSync(path.join(parent, 'build.log'), 'one\n');
  await openFolder(page, parent);
  const opens = (): Promise<number> => page.evaluate(() => performance.getEntriesByName('open').length);
  const before = await opens();
  for (let line = 0; line < 5; line += 1) {
    fs.appendFileSync(path.join(parent, 'build.log'), 'more\n');
    await page.evaluate(() => dispatchEvent(new Event('focus')));
    await page.waitForTimeout(800);
  }
  expect(await opens(), 'a log is no catalog').toBe(before);
  fs.appendFileSync(path.join(parent, 'v4.18/anchor-operator/catalog.yaml'), '# a note\n');
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  await expect(page.getByText('Files changed on disk and were read again.')).toBeVisible();
  await expect(verdict(page)).toHaveText(PASSES);
});

test('a page that does not start says what it waits for', async ({ page }) => {
  await page.route('**/boot.js?*', route => route.abort());
  await page.goto(UNDER_A_PATH);
  await expect(page.getByRole('status')).toHaveText(/Loading the program/);
  await expect(page.getByRole('button', { name: 'Open folder…' }), 'nothing would hear it').toBeDisabled();
  const hint = page.getByText(/needs a web server/);
  await expect(hint).toBeHidden();
  await page.evaluate(() => document.getAnimations().forEach(animation => animation.finish()));
  await expect(hint).toBeVisible();
  await expect(page.getByText('python3 -m http.server 8000')).toBeVisible();
});

test('a page whose program cannot be had says that it was not started', async ({ page }) => {
  await page.route('**/*.wasm', route => route.abort());
  await page.goto(UNDER_A_PATH);
  await expect(page.getByText(/The page could not be started/)).toBeVisible();
  await expect(page.getByText(/has crashed/)).toHaveCount(0);
});

test('what is dropped before the program of the workers is there is opened once it is', async ({ page }) => {
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
  // Longer than a worker that says nothing is waited for.
  await page.waitForTimeout(4_000);
  await expect(page.getByText(/takes long|not answer|crashed/i)).toHaveCount(0);
  release();
  await expect(verdict(page)).toHaveText(PASSES);
});

test('a program of the workers that cannot be had is told, with what to do', async ({ page }) => {
  await page.route('**/worker-*.wasm', route => route.abort());
  await page.goto(UNDER_A_PATH);
  await expect(page.getByText(/rest of the program could not be loaded.*load the page again/i).first()).toBeVisible();
});

test.describe('saving', () => {
  test.use({ guards: { write: 1, read: 1 } });

  test('names that the browser does not write are told before the save', async ({ page }) => {
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

  test('an archive is not offered to be saved in place', async ({ page }) => {
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
