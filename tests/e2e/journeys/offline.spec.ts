// Offline: after one visit the whole page is stored; a newer build is announced and never mixes with the current one.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { BrowserContext, Locator, Page } from '@playwright/test';
import { startHost, type Host } from '../hostile/host';
import { PASSES, accessible, apply, builtPath, choosePackage, command, drop, expect, field, fixture, packageItem, saveBy, start, test, verdict } from '../harness';
import { serve } from '../serving';

const UNDER = '/some/where/';

// Each host has its own port, so that nothing stored by one journey is visible to the next.
test.use({ serviceWorkers: 'allow', profile: 'cold' });
// Each journey loads the page several times; this limit is for a busy machine.
test.setTimeout(150_000);

/// Waits until the browser has stored the page.
const waitUntilStored = (page: Page): Promise<unknown> => page.evaluate(async () => (await navigator.serviceWorker.ready).active?.state);

/// The stored paths by build.
const caches = (page: Page): Promise<Record<string, string[]>> => page.evaluate(async () => {
  const found: Record<string, string[]> = {};
  for (const name of await window.caches.keys()) {
    const keys = await (await window.caches.open(name)).keys();
    found[name] = keys.map(request => request.url.slice(document.baseURI.length)).sort();
  }
  return found;
});

const newVersion = (page: Page): Locator => page.getByRole('group', { name: 'New version' });
const startNew = (page: Page): Locator => newVersion(page).getByRole('button', { name: 'Start the new version' });

/// The files of a folder, by relative path.
const files = (dir: string): string[] => fs.readdirSync(dir, { recursive: true, withFileTypes: true })
  .filter(entry => entry.isFile()).map(entry => path.relative(dir, path.join(entry.parentPath, entry.name)));

const digest = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`;

/// Another build of the page with a different start page and sample.
function nextBuild(): string {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-next-build-'));
  fs.cpSync(builtPath('SWITCHYARD_PAGE'), dir, { recursive: true });
  let worker = fs.readFileSync(path.join(dir, 'sw.js'), 'utf8').replace(/const BUILD = '\w+'/, "const BUILD = 'next'");
  for (const [file, from, to] of [['index.html', 'See every package', 'This is the next build. See every package'],
    ['sample/tidewater/catalog.yaml', '', '# of the next build\n']] as const) {
    const before = fs.readFileSync(path.join(dir, file), 'utf8');
    const after = before.replace(from, to);
    fs.writeFileSync(path.join(dir, file), after);
    expect(worker, `${file} is in the list`).toContain(digest(before));
    worker = worker.replace(digest(before), digest(after));
  }
  fs.writeFileSync(path.join(dir, 'sw.js'), worker);
  return dir;
}

async function setDefault(page: Page, name: string, channel: string): Promise<void> {
  await choosePackage(page, name);
  const form = await command(page, 'Set default channel…');
  await field(form, 'Channel', channel);
  await apply(form);
}

/// Another tab of the same browser, opened as a user would.
async function openTab(context: BrowserContext, host: Host): Promise<Page> {
  const page = await context.newPage();
  await start(page, host.url);
  return page;
}

test('after one visit everything works offline', async ({ page, violations }) => {
  const host = await startHost({ under: UNDER });
  await start(page, host.url);
  await waitUntilStored(page);
  // A release contains compressed copies and server settings, which are only for servers.
  const forServers = /\.(br|gz)$|^(Caddyfile|_headers|nginx\.conf)$/;
  const ofTheBuild = files(builtPath('SWITCHYARD_PAGE')).filter(file => !/^sw(-retired)?\.js$/.test(file) && !forServers.test(file));
  const [list, ...others] = Object.values(await caches(page));
  expect(others, 'one build is stored').toEqual([]);
  expect(list, 'exactly the files of the build').toEqual(ofTheBuild.map(file => file === 'index.html' ? '' : file).sort());
  for (const file of host.requests) expect(['', 'sw.js', ...ofTheBuild], 'nothing else is requested').toContain(file);
  await host.stop();

  await test.step('open a sample, edit, review, download', async () => {
    await page.reload();
    await expect(page.locator('#boot')).toHaveCount(0);
    await page.getByRole('button', { name: 'Try a sample' }).click();
    await expect(packageItem(page, 'lantern')).toBeVisible();
    await expect(verdict(page)).toHaveText(/opm validate/);
  });
  await test.step('and a folder', async () => {
    await page.reload();
    await expect(page.locator('#boot')).toHaveCount(0);
    await drop(page, [fixture('harbor')]);
    await expect(verdict(page)).toHaveText(PASSES, { timeout: 45_000 });
    await setDefault(page, 'anchor-operator', 'candidate');
    await page.getByRole('button', { name: /Review and save/ }).click();
    const review = page.getByRole('dialog', { name: 'Review changes' });
    await expect(review).toContainText('defaultChannel: candidate');
    const [download] = await Promise.all([page.waitForEvent('download'), saveBy(review, 'Download patch')]);
    expect(fs.readFileSync(await download.path(), 'utf8')).toContain('+defaultChannel: candidate');
  });
  await test.step('with a query and a file name in the address', async () => {
    await page.goto(`${host.url}index.html?q=1`);
    await expect(page.locator('#boot')).toHaveCount(0);
  });
  expect(violations).toEqual([]);
});

test('the page is stored with the headers of a release too, until a folder is served at its address', async ({ page, violations }) => {
  const plain = await serve();
  await start(page, plain.url);
  await waitUntilStored(page);
  plain.end();
  await page.reload();
  await expect(page.locator('#boot')).toHaveCount(0);
  expect(await page.evaluate(() => window.crossOriginIsolated)).toBe(true);
  expect(violations).toEqual([]);

  // Storage belongs to an address, and the program reuses its port if possible.
  const served = await serve(fixture('harbor'), new URL(plain.url).port);
  try {
    await page.goto('about:blank');
    await page.goto(served.url);
    await expect(verdict(page), 'the served folder replaces the stored page').toHaveText(PASSES, { timeout: 45_000 });
    expect(await caches(page)).toEqual({});
  } finally {
    served.end();
  }
});

test('a newer build is announced, waits for edits and other tabs, and never mixes', async ({ page, context }) => {
  const host = await startHost({ under: UNDER });
  try {
    await start(page, host.url);
    await waitUntilStored(page);
    const [first] = Object.keys(await caches(page));
    await page.reload();
    await expect(page.locator('#boot')).toHaveCount(0);
    await expect(newVersion(page)).toHaveCount(0);
    await drop(page, [fixture('harbor')]);
    await expect(verdict(page)).toHaveText(PASSES, { timeout: 45_000 });
    await setDefault(page, 'anchor-operator', 'candidate');

    host.serve(nextBuild());
    const other = await openTab(context, host);
    await test.step('both tabs announce it, and both still use the whole previous build', async () => {
      await expect(newVersion(other)).toContainText('A new version of Switchyard is ready. Starting it reloads the page.');
      await accessible(other, 'the announcement on the start page');
      await expect(other.getByText('This is the next build.')).toHaveCount(0);
      expect(Object.keys(await caches(other))).toHaveLength(2);
      await other.getByRole('button', { name: 'Try a sample' }).click();
      await expect(packageItem(other, 'lantern')).toBeVisible();
      const sample = await other.evaluate(async () => (await fetch('./sample/tidewater/catalog.yaml')).text());
      expect(sample).not.toContain('of the next build');
    });
    await test.step('it cannot start while there are unsaved edits', async () => {
      await expect(newVersion(page)).toContainText('Save or undo your edits first');
      await expect(startNew(page)).toBeDisabled();
      await accessible(page, 'the announcement beside edits');
      await page.keyboard.press('ControlOrMeta+z');
      await expect(startNew(page)).toBeEnabled();
    });
    await test.step('it does not start while another tab uses the previous build', async () => {
      await startNew(page).click();
      await expect(newVersion(page)).toContainText('Close the other tab of Switchyard first: it still uses this version.');
      expect(Object.keys(await caches(page))).toContain(first);
    });
    await test.step('alone it starts, and nothing of the previous build remains', async () => {
      await other.close();
      await startNew(page).click();
      await expect(page.getByText('This is the next build.')).toBeVisible();
      await expect(page.locator('#boot')).toHaveCount(0);
      await expect.poll(async () => Object.keys(await caches(page)).filter(name => name === first)).toEqual([]);
      await expect(newVersion(page)).toHaveCount(0);
    });
  } finally {
    await host.stop();
  }
});

test('an incomplete build is not stored, and a stored one is removed if the host says so', async ({ page }) => {
  const incompleteBuild = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-torn-build-'));
  fs.cpSync(builtPath('SWITCHYARD_PAGE'), incompleteBuild, { recursive: true });
  fs.appendFileSync(path.join(incompleteBuild, 'sample/tidewater/catalog.yaml'), '# of another build\n');
  const host = await startHost({ under: UNDER, folder: incompleteBuild });
  try {
    await start(page, host.url);
    await expect.poll(() => host.requests.includes('sw.js') && host.requests.includes('sample/tidewater/catalog.yaml')).toBe(true);
    // A retiring service worker reloads its pages: the query may get no answer and is repeated.
    const registered = (): Promise<number | undefined> =>
      page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length).catch(() => undefined);
    await expect.poll(registered).toBe(0);
    expect(await caches(page)).toEqual({});

    host.serve(builtPath('SWITCHYARD_PAGE'));
    await page.reload();
    await waitUntilStored(page);
    expect(Object.keys(await caches(page))).toHaveLength(1);

    fs.copyFileSync(path.join(incompleteBuild, 'sw-retired.js'), path.join(incompleteBuild, 'sw.js'));
    host.serve(incompleteBuild);
    await page.reload();
    await expect.poll(registered).toBe(0);
    await expect.poll(() => caches(page).catch(() => undefined)).toEqual({});
  } finally {
    await host.stop();
  }
});
