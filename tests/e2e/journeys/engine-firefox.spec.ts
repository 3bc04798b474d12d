// The features that do not need Chromium's own APIs, in Firefox: the main task with pointer and keyboard, after a
// crash, in a small window, with forced colors, and offline.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test as base, expect } from '@playwright/test';
import type { Browser, Page } from 'puppeteer-core';
import { AXE } from '../accessible';
import { launchFirefox, upload } from '../engines/firefox';
import { FirefoxUser } from '../engines/firefox-user';
import { Marionette } from '../engines/marionette';
import { PASSES, UNDER_A_PATH, fixture, tree } from '../harness';
import { startHost } from '../hostile/host';
import { serve } from '../serving';

const FIREFOX = process.env.SWITCHYARD_FIREFOX ?? '';
const ANCHOR = 'anchor-operator/catalog.yaml';

/// The system settings of a user with high contrast and reduced motion.
const FORCED = {
  'browser.display.document_color_use': 2,
  'browser.display.permit_backplate': true,
  'ui.prefersReducedMotion': 1,
  'dom.serviceWorkers.enabled': true,
};

const test = base.extend<{ user: FirefoxUser }, { downloads: string; firefox: Browser; forced: Browser }>({
  downloads: [async ({}, use) => {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-downloads-'));
    await use(dir);
    fs.rmSync(dir, { recursive: true, force: true });
  }, { scope: 'worker' }],
  firefox: [async ({ downloads }, use) => {
    const browser = await launchFirefox(FIREFOX, { 'browser.download.folderList': 2, 'browser.download.dir': downloads });
    await use(browser);
    await browser.close();
  }, { scope: 'worker', timeout: 120_000 }],
  forced: [async ({}, use) => {
    const browser = await launchFirefox(FIREFOX, FORCED);
    await use(browser);
    await browser.close();
  }, { scope: 'worker', timeout: 120_000 }],
  user: async ({ firefox }, use) => {
    const context = await firefox.createBrowserContext();
    await use(new FirefoxUser(await context.newPage()));
    await context.close();
  },
});

test.skip(FIREFOX === '', 'no Firefox: name one in SWITCHYARD_FIREFOX');
// Each takes a few seconds; this limit is for a busy machine.
test.setTimeout(180_000);

/// The files of a fixture, to give to an input.
const filesOf = (dir: string): string[] => Object.keys(tree(dir)).map(file => path.join(dir, file));

async function openHarbor(user: FirefoxUser): Promise<void> {
  await user.opens(UNDER_A_PATH);
  await upload(user.page, 'Catalog files', filesOf(fixture('harbor')));
  await user.sees('status', 'Verdict', new RegExp(PASSES));
}

/// Expects no violation in axe's default rules, such as an element without a name.
async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(AXE);
  const found = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> } };
    return (await axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html).join(' ')}`);
  });
  expect(found).toEqual([]);
}

/// Saves a screenshot with the results.
const picture = (page: Page, name: string): Promise<unknown> =>
  page.screenshot({ path: test.info().outputPath(`${name}.png`) });

test('open, edit, review, download; a missing browser feature is mentioned once, where it matters', async ({ user, downloads }) => {
  await openHarbor(user);
  await user.setsDefaultChannel('candidate');
  await picture(user.page, 'edited');
  await expectAccessible(user.page);
  await user.reviews(/defaultChannel: candidate/);
  await picture(user.page, 'review');
  await user.sees('dialog', undefined, /cannot write to folders/);
  const matches = await user.page.evaluate(() => document.body.innerText.match(/cannot write to folders/g)?.length);
  expect(matches).toBe(1);
  await user.presses('button', 'More ways to save');
  await user.presses('menuitem', 'Download patch');
  const patch = (): string | undefined => fs.readdirSync(downloads).find(name => /\.(patch|diff)$/.test(name));
  await expect.poll(patch).toBeDefined();
  await expect.poll(() => fs.readFileSync(path.join(downloads, patch() ?? ''), 'utf8')).toContain('+defaultChannel: candidate');
});

test('an edit survives the tab, and a crash of the worker', async ({ user }) => {
  await user.page.evaluateOnNewDocument(() => {
    const workers: Worker[] = [];
    const Own = Worker;
    Object.assign(window, { __workers: workers });
    window.Worker = class extends Own {
      constructor(...given: ConstructorParameters<typeof Worker>) {
        super(...given);
        if (given[1]?.name === 'host') workers.push(this);
      }
    };
  });
  await openHarbor(user);
  await user.setsDefaultChannel('candidate');
  await user.page.evaluate(() => {
    const { __workers: workers } = window as unknown as { __workers: Worker[] };
    workers.at(-1)?.dispatchEvent(new ErrorEvent('error', { message: 'RuntimeError: unreachable' }));
  });
  // Expects the banner: the consequences of the edit may replace the toast.
  await expect.poll(() => user.page.evaluate(() => document.querySelector('.banner')?.textContent ?? ''), { timeout: 30_000 })
    .toContain('The background worker crashed and was restarted. Nothing is lost.');
  await user.sees('button', undefined, /Review and save/);

  const tab = await user.page.browserContext().newPage();
  await user.page.close({ runBeforeUnload: false });
  const newUser = new FirefoxUser(tab);
  await openHarbor(newUser);
  await newUser.presses('button', 'Continue with');
  await newUser.sees('button', undefined, /Review and save/);
  await newUser.reviews(/defaultChannel: candidate/);
});

test('a served folder is saved in place', async ({ user }) => {
  const dir = fixture('harbor');
  const served = await serve(dir);
  try {
    await user.opens(served.url);
    await user.sees('status', 'Verdict', new RegExp(PASSES));
    await user.setsDefaultChannel('candidate');
    await user.reviews(/defaultChannel: candidate/);
    await user.presses('button', 'Save to disk');
    await expect.poll(() => fs.readFileSync(path.join(dir, ANCHOR), 'utf8')).toContain('defaultChannel: candidate');
  } finally {
    served.end();
  }
});

test('a dropped folder is opened', async () => {
  const dir = fixture('harbor');
  const firefox = await Marionette.start(FIREFOX);
  try {
    await firefox.open(UNDER_A_PATH);
    await expect.poll(() => firefox.ask<boolean>('return document.querySelector("#boot") === null'), { timeout: 60_000 }).toBe(true);
    await firefox.dropFolder(dir);
    const text = (): Promise<string> => firefox.ask<string>('return document.body.innerText');
    await expect.poll(text, { timeout: 60_000 }).toContain('buoy-operator');
    expect(await text()).toMatch(new RegExp(PASSES));
  } finally {
    await firefox.end();
  }
});

test('the keyboard alone suffices, and the focus is always visible', async ({ user }) => {
  const tabs = async (): Promise<string> => {
    await user.keys('Tab');
    const focus = await user.focus();
    await expect.poll(async () => (await user.focus())?.isSeen ?? true, { message: `the focus on “${focus?.name}” is visible`, timeout: 2_000 }).toBe(true);
    return focus?.name ?? '';
  };
  await user.opens(UNDER_A_PATH);
  for (let left = 12; left > 0 && await tabs() !== 'Try a sample'; left--);
  await user.keys('Enter');
  await user.sees('list', 'Packages', /lantern/);
  await user.command('Set default channel');
  await user.sees('dialog', undefined, /Set default channel/);
  await user.keys('Escape');
  await user.seesNo('dialog');
  const visited = new Set<string>();
  for (let left = 25; left > 0; left--) visited.add(await tabs());
  expect(visited.size, 'the focus moves on').toBeGreaterThan(10);
});

test('at 200 % and at 360 pixels nothing is cut off', async ({ user }) => {
  await openHarbor(user);
  await user.choosesPackage('anchor-operator');
  for (const [name, width, height, deviceScaleFactor] of [['zoomed', 720, 450, 2], ['narrow', 360, 740, 1]] as const) {
    await user.page.setViewport({ width, height, deviceScaleFactor });
    await expect.poll(() => user.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    await user.command('Set default channel');
    const form = await user.page.evaluate(() => {
      const box = document.querySelector('dialog[open]')?.getBoundingClientRect();
      return box && { left: box.left, right: box.right, bottom: box.bottom };
    });
    expect(form?.left).toBeGreaterThanOrEqual(0);
    expect(form?.right).toBeLessThanOrEqual(width);
    expect(form?.bottom).toBeLessThanOrEqual(height);
    await picture(user.page, name);
    await user.keys('Escape');
    await user.seesNo('dialog');
  }
});

test('forced colors and reduced motion are respected', async ({ forced }) => {
  const user = new FirefoxUser(await forced.newPage());
  await openHarbor(user);
  await user.choosesPackage('anchor-operator');
  const media = await user.page.evaluate(() =>
    ['(forced-colors: active)', '(prefers-reduced-motion: reduce)'].map(query => matchMedia(query).matches));
  expect(media).toEqual([true, true]);
  const moving = await user.page.evaluate(() => document.getAnimations().filter(animation =>
    animation.effect?.getComputedTiming().duration !== 0 && animation.playState === 'running').length);
  expect(moving).toBe(0);
  await picture(user.page, 'forced-colors');
  await expectAccessible(user.page);
  await user.page.close();
});

test('after one visit it works offline', async ({ forced }) => {
  const user = new FirefoxUser(await forced.newPage());
  const host = await startHost({ under: '/some/where/' });
  await user.opens(host.url);
  await user.page.evaluate(async () => { await navigator.serviceWorker.ready; });
  await host.stop();
  await user.opens(host.url);
  await user.presses('button', 'Try a sample');
  await user.sees('list', 'Packages', /lantern/);
  await user.page.close();
});
