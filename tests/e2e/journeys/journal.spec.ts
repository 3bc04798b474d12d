// Nothing is lost: applied edits survive a crash, a closed tab and a reload; a changed folder is reported; tabs do
// not disturb each other; a browser without storage is reported once; a single change can be reverted.
import fs from 'node:fs';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { PASSES, accessible, apply, choosePackage, command, drop, entry, expect, field, fixture, openFolder, waitForOriginal, preparePicker, saveBy, start, test, verdict } from '../harness';

const history = (page: Page) => page.getByRole('list', { name: 'History' }).getByRole('button');
const unfinished = (page: Page) => page.getByRole('list', { name: 'Unsaved edits' }).getByRole('listitem');

async function setDefault(page: Page, channel: string): Promise<void> {
  const form = await command(page, 'Set default channel…');
  await field(form, 'Channel', channel);
  await apply(form);
}

async function setRange(page: Page, range: string, entryName = 'anchor-operator.v1.2.0', channel = 'stable'): Promise<void> {
  const form = await command(page, 'Set skip range…');
  await field(form, 'Channel', channel);
  await field(form, 'Entry', entryName);
  await field(form, 'Skip range', range);
  await apply(form);
}

async function closeTab(page: Page): Promise<Page> {
  const next = await page.context().newPage();
  await page.close({ runBeforeUnload: false });
  return next;
}

/// Leaves an edit of another folder, named `quay`. Once the start page lists it, the page has listed all.
async function leaveEditsElsewhere(page: Page): Promise<Page> {
  const dir = path.join(path.dirname(fixture('harbor')), 'quay');
  fs.renameSync(path.join(path.dirname(dir), 'harbor'), dir);
  await openFolder(page, dir);
  await choosePackage(page, 'anchor-operator');
  await setDefault(page, 'candidate');
  return closeTab(page);
}

test('after a closed tab the start page lists its edits, and continuing restores history, undo and redo', async ({ page, violations }) => {
  const dir = fixture('harbor');
  await openFolder(page, dir);
  await choosePackage(page, 'anchor-operator');
  await setRange(page, '>=1.0.0 <1.2.0-one');
  await setDefault(page, 'candidate');
  await setRange(page, '>=1.0.0 <1.2.0-two');
  await page.keyboard.press('ControlOrMeta+z');
  await expect(history(page).last()).toHaveAccessibleName(/, undone/);

  page = await closeTab(page);
  const answer = await preparePicker(page);
  await start(page);
  const item = unfinished(page);
  await expect(item).toHaveCount(1);
  await expect(item).toHaveAccessibleName(/^harbor, 2 edits/);
  await expect(item).toContainText('Set default channel of anchor-operator to candidate');
  await accessible(page, 'unfinished work');
  // Until the folder is provided nothing is applied, and the page says what to do.
  await item.getByRole('button', { name: 'Continue…' }).click();
  await expect(page.getByRole('region', { name: 'Unsaved edits' }).getByText('Pick “harbor” again')).toBeVisible();
  await answer(dir);
  await item.getByRole('button', { name: 'Continue…' }).press('Enter');
  await expect(history(page)).toHaveCount(3, { timeout: 30_000 });
  await expect(history(page).nth(0)).toHaveAccessibleName(/<1\.2\.0-one$/);
  await expect(history(page).nth(1)).toHaveAttribute('aria-current', 'step');
  await expect(history(page).nth(2)).toHaveAccessibleName(/<1\.2\.0-two\s*, undone$/);
  await choosePackage(page, 'anchor-operator');
  await expect(entry(page, 'anchor-operator.v1.3.0', 'candidate')).toHaveAccessibleName(/default channel/);
  await page.keyboard.press('ControlOrMeta+Shift+z');
  await expect(history(page).nth(2)).not.toHaveAccessibleName(/undone/);
  await page.getByRole('tab', { name: 'History' }).click();
  await history(page).nth(0).click();
  await expect(history(page).nth(1)).toHaveAccessibleName(/, undone/);

  // The continued journal is still a single one, and is still written.
  page = await closeTab(page);
  await start(page);
  await expect(unfinished(page)).toHaveCount(1);
  await expect(unfinished(page)).toHaveAccessibleName(/^harbor, 1 edit /);
  expect(violations).toEqual([]);
});

test('after a reload the reopened folder offers its edits, by keyboard too', async ({ page }) => {
  const dir = fixture('harbor');
  await openFolder(page, dir);
  await choosePackage(page, 'anchor-operator');
  await setDefault(page, 'candidate');
  page.on('dialog', dialog => void dialog.accept());
  await page.reload();
  await expect(unfinished(page)).toHaveCount(1);
  await drop(page, [dir]);
  await expect(verdict(page)).toHaveText(PASSES, { timeout: 45_000 });
  const continueButton = page.getByRole('button', { name: 'Continue with 1 edit' });
  await expect(continueButton).toBeVisible();
  await expect(page.getByRole('main').getByText(/^Unsaved edits of .*: 1 edit\./)).toBeVisible();
  await accessible(page, 'offer');
  await expect(history(page)).toHaveCount(0);
  await continueButton.focus();
  await page.keyboard.press('Enter');
  await expect(history(page)).toHaveCount(1);
  await expect(continueButton).toBeHidden();
  await expect(page.getByRole('button', { name: /Review and save/ })).toContainText('1');
});

test('edits over several folders are offered with each of them, and wait for the others', async ({ page }) => {
  const dir = fixture('harbor');
  const other = path.join(path.dirname(dir), 'other');
  fs.cpSync(dir, other, { recursive: true });
  const add = async (folder: string) => {
    await drop(page, [folder]);
    await page.getByRole('dialog', { name: /^Open / }).getByRole('button', { name: 'Add' }).click();
    await expect(page.getByText(`Added ${path.basename(folder)}.`).first()).toBeVisible();
  };
  await openFolder(page, dir);
  await choosePackage(page, 'anchor-operator');
  await add(other);
  await setDefault(page, 'candidate');

  page = await closeTab(page);
  await openFolder(page, other);
  const offer = page.locator('.banner').filter({ hasText: 'Not open yet: harbor.' });
  await expect(offer).toBeVisible();
  await expect(offer).not.toContainText('changed');
  await offer.getByRole('button', { name: 'Continue with 1 edit' }).click();
  const question = page.getByRole('dialog', { name: 'Continue with 1 edit?' });
  await expect(question).toContainText('Not all folders of these edits are open.');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await add(dir);
  await expect(offer).toBeHidden();
  await page.getByRole('button', { name: 'Continue with 1 edit' }).click();
  await expect(history(page)).toHaveCount(1);
});

test('a changed folder is reported with its files, and edits that no longer apply are listed and kept', async ({ page }) => {
  const dir = fixture('harbor');
  await openFolder(page, dir);
  await choosePackage(page, 'anchor-operator');
  await setRange(page, '>=1.0.0 <1.2.0-kept');
  await setDefault(page, 'candidate');
  await waitForOriginal(page, 'anchor-operator/catalog.yaml');

  // The edited file changes but keeps its size, one file is missing and one is new; the entry of one edit is gone.
  const anchor = path.join(dir, 'anchor-operator/catalog.yaml');
  fs.writeFileSync(anchor, fs.readFileSync(anchor, 'utf8').replaceAll("'anchor-operator.v1.2.0'", "'anchor-operator.v1.2.9'"));
  fs.rmSync(path.join(dir, 'crane-operator/bundles/v2.0.0.yaml'));
  fs.writeFileSync(path.join(dir, 'README.md'), 'new\n');
  page = await closeTab(page);
  await openFolder(page, dir);
  const offer = page.locator('.banner').filter({ hasText: 'The folder has changed since.' });
  await expect(offer).toBeVisible();
  await page.getByRole('button', { name: 'Continue with 2 edits' }).click();
  const question = page.getByRole('dialog', { name: 'Continue with 2 edits?' });
  await expect(question).toContainText('harbor/anchor-operator/catalog.yaml');
  await expect(question).toContainText('harbor/crane-operator/bundles/v2.0.0.yaml');
  await expect(question).toContainText('harbor/README.md');
  await accessible(page, 'a folder that is another');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(history(page)).toHaveCount(0);
  await page.getByRole('button', { name: 'Continue with 2 edits' }).click();
  await question.getByRole('button', { name: 'Continue anyway' }).click();
  await expect(history(page)).toHaveCount(1);
  await expect(history(page)).toHaveAccessibleName('Set default channel of anchor-operator to candidate');
  const notice = page.locator('.banner').filter({ hasText: 'could not be applied again' });
  await expect(notice).toContainText('<1.2.0-kept');
  await expect(notice.getByRole('button', { name: 'Copy operations' })).toBeVisible();

  page = await closeTab(page);
  await start(page);
  await expect(unfinished(page)).toHaveAccessibleName(/^harbor, 1 edit · 1 edit set aside/);
});

test('unsaved edits are discarded after a question, and can be copied first', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const dir = fixture('harbor');
  await openFolder(page, dir);
  await choosePackage(page, 'anchor-operator');
  await setDefault(page, 'candidate');
  page = await closeTab(page);
  await start(page);
  const item = unfinished(page);
  await item.getByRole('button', { name: 'Copy operations' }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toMatch(/^\{"op":"set-default-channel".*"channel":"candidate".*\}\n$/);
  await item.getByRole('button', { name: 'Discard…' }).click();
  const question = page.getByRole('dialog', { name: 'Discard 1 edit?' });
  await expect(question).toContainText('Set default channel of anchor-operator to candidate');
  await accessible(page, 'discard');
  await page.keyboard.press('Escape');
  await expect(question).toBeHidden();
  await expect(item).toHaveCount(1);
  await item.getByRole('button', { name: 'Discard…' }).click();
  await question.getByRole('button', { name: 'Discard', exact: true }).click();
  await expect(item).toHaveCount(0);
  await page.reload();
  await start(page);
  await expect(item).toHaveCount(0);
});

test('no edits are listed after everything was undone', async ({ page }) => {
  page = await leaveEditsElsewhere(page);
  const dir = fixture('harbor');
  await openFolder(page, dir);
  await choosePackage(page, 'anchor-operator');
  await setDefault(page, 'candidate');
  await page.keyboard.press('ControlOrMeta+z');
  await expect(history(page)).toHaveAccessibleName(/, undone/);
  page = await closeTab(page);
  await start(page);
  await expect(unfinished(page)).toHaveCount(1);
  await expect(unfinished(page)).toHaveAccessibleName(/^quay, 1 edit/);
});

for (const locks of [true, false]) {
  test.describe('two tabs', () => {
    // Its own browser: the missing locks are missing in all of its pages.
    if (!locks) test.use({ profile: 'own' });

    test(`two tabs on one folder: the second one is warned, ${locks ? 'by locks' : 'without locks'}`, async ({ page, context }) => {
      if (!locks)
        await context.addInitScript(() => Object.defineProperty(Navigator.prototype, 'locks', { value: undefined }));
      page = await leaveEditsElsewhere(page);
      const dir = fixture('harbor');
      await openFolder(page, dir);
      await choosePackage(page, 'anchor-operator');
      await setDefault(page, 'candidate');
      const second = await context.newPage();
      await start(second);
      await expect(unfinished(second), 'the edits of an open tab are not offered').toHaveCount(1);
      await expect(unfinished(second)).toHaveAccessibleName(/^quay, 1 edit/);
      await drop(second, [dir]);
      const warning = second.locator('.banner').getByText(/also open in another tab/);
      await expect(warning).toBeVisible({ timeout: 45_000 });
      await expect(second.getByRole('button', { name: /^Continue with/ })).toHaveCount(0);
      await expect(page.locator('.banner').getByText(/also open in another tab/)).toHaveCount(0);
      await choosePackage(second, 'crane-operator');
      await setDefault(second, 'stable-v1');
      await page.bringToFront();
      await setRange(page, '>=1.0.0 <1.2.0-first');
      const third = await context.newPage();
      await page.close({ runBeforeUnload: false });
      await second.close({ runBeforeUnload: false });
      await start(third);
      await expect(unfinished(third)).toHaveCount(3);
      await expect(unfinished(third).filter({ hasText: '1.2.0-first' })).toHaveAccessibleName(/2 edits/);
      await expect(unfinished(third).filter({ hasText: 'stable-v1' })).toHaveAccessibleName(/1 edit /);
    });
  });
}

test('a lock that the browser grants late is released if it is no longer needed', async ({ page }) => {
  await page.addInitScript(() => {
    const delayed: (() => void)[] = [];
    Object.assign(window, { grant: () => { for (const go of delayed.splice(0)) go(); } });
    const request = LockManager.prototype.request as (...of: unknown[]) => Promise<unknown>;
    LockManager.prototype.request = function (this: LockManager, ...of: unknown[]): Promise<unknown> {
      return new Promise((done, failed) => { delayed.push(() => { request.apply(this, of).then(done, failed); }); });
    } as typeof LockManager.prototype.request;
  });
  const grant = () => page.evaluate(() => { (window as unknown as { grant: () => void }).grant(); });
  const countHeldLocks = () => page.evaluate(async () => (await navigator.locks.query()).held?.filter(lock => lock.name?.startsWith('switchyard:')).length);
  await openFolder(page, fixture('beacon'));
  // Journal and folder are claimed one after the other, each with this timeout.
  await page.waitForTimeout(2200);
  await drop(page, [fixture('harbor')]);
  await page.getByRole('dialog', { name: /^Open / }).getByRole('button', { name: 'Replace' }).click();
  await choosePackage(page, 'anchor-operator');
  await page.waitForTimeout(1200);
  expect(await countHeldLocks()).toBe(0);
  await grant();
  await expect.poll(countHeldLocks, 'the journal and the open folder').toBe(2);
});

for (const [what, stub] of [
  ['forbidden', () => Object.defineProperty(window, 'indexedDB', { get() { throw new DOMException('The operation is insecure.', 'SecurityError'); } })],
  ['missing', () => Object.defineProperty(window, 'indexedDB', { value: undefined })],
  ['full', () => { IDBObjectStore.prototype.put = () => { throw new DOMException('The quota has been exceeded.', 'QuotaExceededError'); }; }],
] as const) {
  test(`${what} storage is reported once, and everything else works`, async ({ page }) => {
    await page.addInitScript(stub);
    await openFolder(page, fixture('harbor'));
    await choosePackage(page, 'anchor-operator');
    const warning = page.locator('.banner').filter({ hasText: /This browser cannot store your edits/ });
    await expect(warning).toHaveCount(0);
    await setDefault(page, 'candidate');
    await expect(warning).toHaveCount(1);
    if (what === 'forbidden') await accessible(page, 'edits are not kept');
    await warning.getByRole('button', { name: 'Dismiss' }).click();
    await setRange(page, '>=1.0.0 <1.2.0-more');
    await page.keyboard.press('ControlOrMeta+z');
    await expect(history(page).last()).toHaveAccessibleName(/, undone/);
    await expect(warning).toHaveCount(0);
    await page.getByRole('button', { name: /Review and save/ }).click();
    const [file] = await Promise.all([page.waitForEvent('download'), saveBy(page.getByRole('dialog', { name: 'Review changes' }), 'Download patch')]);
    expect(fs.readFileSync(await file.path(), 'utf8')).toContain('+defaultChannel: candidate');
  });
}

test('one of several changes is reverted, as its own step', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  await setDefault(page, 'candidate');
  await setRange(page, '>=1.0.0 <1.2.0-one');
  await page.getByRole('button', { name: /Review and save/ }).click();
  const review = page.getByRole('dialog', { name: 'Review changes' });
  const revert = review.getByRole('button', { name: /^Revert this change: anchor-operator\/catalog\.yaml, line \d+$/ });
  await expect(revert).toHaveCount(2);
  await accessible(page, 'review with changes to revert');
  await revert.first().focus();
  await page.keyboard.press('Enter');
  await expect(revert).toHaveCount(1);
  await expect(review).toContainText('1.2.0-one');
  await expect(review.getByRole('group', { name: /catalog\.yaml/ })).not.toContainText('candidate');
  await page.keyboard.press('Escape');
  await expect(history(page)).toHaveCount(3);
  await expect(history(page).last()).toHaveAccessibleName(/^Revert the change to anchor-operator\/catalog\.yaml, line \d+$/);
  await expect(entry(page, 'anchor-operator.v1.2.0', 'stable')).toHaveAccessibleName(/default channel/);
  await page.getByRole('button', { name: 'Undo' }).first().click();
  await expect(entry(page, 'anchor-operator.v1.3.0', 'candidate')).toHaveAccessibleName(/default channel/);
});

// The last journey kills the page SWITCHYARD_KILLS times (6 by default, about a minute; 100 before a release), at
// random moments from SWITCHYARD_SEED.

// A state of the history: the titles, and the number of applied steps.
type State = { steps: string[]; applied: number };
type Act = 'stable' | 'candidate' | 'undo' | 'redo' | 'revert';

// Deterministic random numbers (mulberry32).
function randomNumbers(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const describe = (state: State | undefined) => JSON.stringify(state);
const range = (title: string) => /in (stable|candidate) to (.*)$/.exec(title);

// The skip ranges after the applied steps, by channel.
function ranges(state: State): Record<string, string> {
  let now: Record<string, string> = {};
  for (const title of state.steps.slice(0, state.applied)) {
    const [, channel, value] = range(title) ?? [];
    if (channel !== undefined && value !== undefined) now[channel] = value;
    else now = {};
  }
  return now;
}

test.describe('a killed page', () => {
  // Its own browser: a crash ends the process that shared pages have in common.
  test.use({ profile: 'own' });

  test('a page killed at any moment loses no visible edit and leaves no partial one', async ({ context, page: first }) => {
    const kills = Number(process.env.SWITCHYARD_KILLS ?? 6);
    const seed = Number(process.env.SWITCHYARD_SEED ?? 20261121);
    test.setTimeout(60_000 + kills * 30_000);
    const next = randomNumbers(seed);
    const dir = fixture('harbor');
    // The page reports each change of its history, up to the last moment.
    let shown: State = { steps: [], applied: 0 };
    await context.exposeBinding('__shown', (_, state: State) => { shown = state; });
    await context.addInitScript(() => {
      let last = '';
      const look = () => {
        const steps = [...document.querySelectorAll('ol[aria-label="History"] button')];
        const state = {
          steps: steps.map(step => (step.textContent ?? '').replace(/\s*, undone$/, '')),
          applied: steps.filter(step => step.getAttribute('data-undone') !== 'true').length,
        };
        const text = JSON.stringify(state);
        if (text === last || !document.querySelector('ol[aria-label="History"]')) return;
        last = text;
        (window as unknown as { __shown(state: unknown): void }).__shown(state);
      };
      new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    });

    const writes: number[] = [];
    await context.exposeBinding('__wrote', (_, ms: number) => { writes.push(ms); });
    await context.addInitScript(() => new PerformanceObserver(list => {
      for (const entry of list.getEntriesByName('journal'))
        (window as unknown as { __wrote(ms: number): void }).__wrote(entry.duration);
    }).observe({ type: 'measure' }));

    let page = first;
    let slowest = 700;
    let number = 0, killed = 0, edits = 0, during = 0;
    // The states that may be restored: from the last visible one to the last requested one.
    let states: State[] = [{ steps: [], applied: 0 }];
    for (let round = 0; round <= kills; round++) {
      await start(page);
      // The browser occasionally loses a drop right after a page crashed.
      await expect(async () => {
        await page.bringToFront();
        await drop(page, [dir]);
        await expect(verdict(page)).toBeVisible({ timeout: 8_000 });
      }).toPass({ timeout: 60_000 });
      await expect(verdict(page)).toHaveText(/(Passes|Fails) opm validate/, { timeout: 45_000 });
      const before = states.map(describe);
      const continueButton = page.getByRole('button', { name: /^Continue with/ });
      // A journal without differences from the disk is not kept: the history is empty then.
      const isClean = (state: State) => Object.keys(ranges(state)).length === 0;
      if (states.some(state => state.applied > 0)) {
        // If every possible state differs from the disk, the offer must appear, however slow the machine is.
        if (states.some(isClean)) await Promise.race([continueButton.waitFor(), page.waitForTimeout(5_000)]);
        else await continueButton.waitFor({ timeout: 45_000 });
        if (await continueButton.isVisible()) {
          await continueButton.click();
          await expect(page.getByText(/^Resumed/)).toBeVisible({ timeout: 60_000 });
        }
      }
      const found = (await page.evaluate(() => {
        const steps = [...document.querySelectorAll('ol[aria-label="History"] button')];
        return {
          steps: steps.map(step => (step.textContent ?? '').replace(/\s*, undone$/, '')),
          applied: steps.filter(step => step.getAttribute('data-undone') !== 'true').length,
        };
      })) as State;
      const fits = before.includes(describe(found)) || (found.steps.length === 0 && states.some(isClean));
      expect(fits, `round ${round}, seed ${seed}: found ${describe(found)}, possible were ${before.join(' | ')}`).toBe(true);

      // The files contain exactly the result of the steps.
      await choosePackage(page, 'anchor-operator');
      await page.getByRole('button', { name: /Review and save/ }).click();
      const review = page.getByRole('dialog', { name: 'Review changes' });
      await expect(review.locator('.review-summary')).toHaveText(/No changes|All other lines/);
      const lines = await review.locator('.diff-line').evaluateAll(rows => rows
        .filter(row => row.getAttribute('data-kind') === 'added')
        .map(row => row.querySelector('.diff-text')?.textContent?.trim() ?? ''));
      const wanted = Object.values(ranges(found)).map(value => `skipRange: '${value}'`);
      expect(lines.map(line => line.replaceAll('"', "'")).sort(), `round ${round}, seed ${seed}`).toEqual(wanted.sort());
      await page.keyboard.press('Escape');
      await expect(review).toBeHidden();
      if (round === kills) break;

      shown = found;
      states = [found];
      const crashed = new Promise<void>(resolve => page.once('crash', () => resolve()));
      const cdp = await context.newCDPSession(page);
      let dead = false;
      // Scale with the machine's speed, so that some edits are complete and others in progress. Every other kill waits
      // until two edits are written: on a slow machine all others may come before any is.
      const part = next() * 4;
      let written = writes.length;
      const enough = written + 2;
      let kill: NodeJS.Timeout | undefined;
      const killLater = () => {
        kill = setTimeout(() => { dead = true; void cdp.send('Page.crash').catch(() => {}); }, Math.floor(part * slowest));
      };
      if (round % 2 === 1) killLater();
      try {
        while (!dead) {
          const now = states.at(-1) ?? shown;
          const choices: Act[] = ['stable', 'candidate', 'stable'];
          if (now.applied > 0) choices.push('undo', 'undo');
          if (now.applied < now.steps.length) choices.push('redo', 'redo');
          if (Object.keys(ranges(now)).length === 2) choices.push('revert');
          const act = choices[Math.floor(next() * choices.length)];
          const applied = now.steps.slice(0, now.applied);
          edits++;
          const startedAt = Date.now();
          if (act === 'undo' || act === 'redo') {
            states.push({ steps: now.steps, applied: now.applied + (act === 'undo' ? -1 : 1) });
            await page.getByRole('button', { name: act === 'undo' ? 'Undo' : 'Redo' }).first().click({ timeout: 5_000 });
          } else if (act === 'revert') {
            states.push({ steps: [...applied, 'Revert harbor/anchor-operator/catalog.yaml'], applied: now.applied + 1 });
            await page.getByRole('button', { name: /Review and save/ }).click();
            await review.getByRole('button', { name: 'Revert file' }).click();
            await expect(review.locator('.review-summary')).toHaveText(/No changes/);
            await page.keyboard.press('Escape');
          } else {
            const value = `>=1.0.0 <1.2.0-n${++number}`;
            const name = act === 'stable' ? 'anchor-operator.v1.2.0' : 'anchor-operator.v1.3.0';
            states.push({ steps: [...applied, `Set skip range of ${name} in ${act} to ${value}`], applied: now.applied + 1 });
            await setRange(page, value, name, act);
          }
          await expect.poll(() => describe(shown), { timeout: 10_000 }).toBe(describe(states[states.length - 1]));
          slowest = Math.max(slowest, Date.now() - startedAt);
          if (kill) continue;
          await expect.poll(() => writes.length, { timeout: 10_000 }).toBeGreaterThan(written);
          written = writes.length;
          if (written >= enough) killLater();
        }
      } catch (error) {
        if (!dead) throw error;
      }
      clearTimeout(kill);
      if (!dead) void cdp.send('Page.crash').catch(() => {});
      await crashed;
      killed++;
      // Possible are the last visible state and all states requested after it.
      const at = states.map(describe).lastIndexOf(describe(shown));
      expect(at, `round ${round}: ${describe(shown)} was requested`).toBeGreaterThanOrEqual(0);
      if (at < states.length - 1) during++;
      states = states.slice(at);
      page = await context.newPage();
      await Promise.all(context.pages().filter(other => other !== page).map(other => other.close().catch(() => {})));
    }
    writes.sort((a, b) => a - b);
    const ms = (at: number) => (writes[Math.min(writes.length - 1, Math.floor(at * writes.length))] ?? 0).toFixed(1);
    console.log(`journal: ${writes.length} writes, median ${ms(0.5)} ms, 95 % ${ms(0.95)} ms, worst ${ms(1)} ms`);
    // The kills happen among edits and writes, not beside them.
    expect(edits).toBeGreaterThanOrEqual(killed);
    expect(writes.length).toBeGreaterThanOrEqual(killed);
    console.log(`${killed} kills, ${during} of them during an edit; ${edits} edits requested; seed ${seed}`);
  });
});
