// `switchyard serve DIR`: the page opens the folder by itself and saves to it through the program, in a browser
// without folder access.
import fs from 'node:fs';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { apply, choosePackage, command, expect, field, fixture, PASSES, test, tree, verdict } from '../harness';
import { serve, type Served } from '../serving';

const ANCHOR = 'anchor-operator/catalog.yaml';
const BUOY = 'buoy-operator/catalog.json';

/// Like Firefox and Safari, which cannot write to folders.
const withoutFolders = (page: Page) => page.addInitScript(() => {
  Reflect.deleteProperty(window, 'showDirectoryPicker');
  Reflect.deleteProperty(DataTransferItem.prototype, 'getAsFileSystemHandle');
});

async function setDefault(page: Page, name: string, channel: string): Promise<void> {
  await choosePackage(page, name);
  const form = await command(page, 'Set default channel…');
  await field(form, 'Channel', channel);
  await apply(form);
}

const save = async (page: Page) => {
  await page.getByRole('button', { name: /Review and save/ }).click();
  await page.getByRole('dialog', { name: 'Review changes' }).getByRole('button', { name: 'Save to disk' }).click();
};

test('a served folder opens at once and is saved in place', async ({ page, violations }) => {
  const dir = fixture('harbor');
  const before = tree(dir);
  const served = await serve(dir);
  try {
    await withoutFolders(page);
    await page.goto(served.url);
    await expect(verdict(page)).toHaveText(PASSES, { timeout: 45_000 });
    expect(page.url(), 'the token is not left in the address').not.toContain('token');
    await setDefault(page, 'anchor-operator', 'candidate');
    await save(page);
    await expect(page.getByText(/^Saved .*anchor-operator\/catalog\.yaml\.$/)).toBeVisible();
    const text = Buffer.from(before[ANCHOR] ?? '', 'base64').toString('utf8')
      .replace('defaultChannel: stable   #', 'defaultChannel: candidate   #');
    expect(tree(dir)).toEqual({ ...before, [ANCHOR]: Buffer.from(text).toString('base64') });

    await test.step('after a reload the tab still has the folder', async () => {
      await page.reload();
      await expect(verdict(page)).toHaveText(PASSES, { timeout: 45_000 });
    });
    expect(violations).toEqual([]);
  } finally {
    served.end();
  }
});

test('a file that changed on disk is reported, as for any folder', async ({ page }) => {
  const dir = fixture('harbor');
  const served = await serve(dir);
  try {
    await page.goto(served.url);
    await expect(verdict(page)).toHaveText(PASSES, { timeout: 45_000 });
    await setDefault(page, 'anchor-operator', 'candidate');
    fs.appendFileSync(path.join(dir, ANCHOR), '# theirs\n');
    await save(page);
    const review = page.getByRole('dialog', { name: 'Review changes' });
    await expect(review.getByRole('radio', { name: /^Merge/ })).toBeChecked();
    await review.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page.getByText(/^Saved /)).toBeVisible();
    const text = fs.readFileSync(path.join(dir, ANCHOR), 'utf8');
    expect(text).toContain('defaultChannel: candidate');
    expect(text.endsWith('# theirs\n')).toBe(true);
  } finally {
    served.end();
  }
});

test('the page stays usable when the server ends', async ({ page }) => {
  const dir = fixture('harbor');
  const served = await serve(dir);
  try {
    await page.goto(served.url);
    await expect(verdict(page)).toHaveText(PASSES, { timeout: 45_000 });
    served.end();
    const origin = new URL('/', served.url).href;
    await expect.poll(() => fetch(origin).then(() => 'there', () => 'gone')).toBe('gone');
    // The page compares its files with the disk when its window gets focus.
    const compared = page.waitForEvent('requestfailed', request => request.url().endsWith('/api/files'));
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await compared;
    await setDefault(page, 'anchor-operator', 'candidate');
    await expect(verdict(page)).toHaveText(PASSES);
  } finally {
    served.end();
  }
});

test('the address of a restarted server works in its old tab', async ({ page }) => {
  const dir = fixture('harbor');
  const served = await serve(dir);
  let restarted: Served | undefined;
  try {
    await page.goto(served.url);
    await expect(verdict(page)).toHaveText(PASSES, { timeout: 45_000 });
    served.end();
    await expect(async () => {
      restarted = await serve(dir, new URL(served.url).port);
    }).toPass();
    // The page may change its own address between the two events of a new fragment.
    await page.evaluate(() => {
      addEventListener('popstate', () => { history.replaceState(null, '', location.pathname); });
    });
    // Only the fragment differs, as after pasting the address: the browser does not reload.
    await page.goto(restarted?.url ?? '');
    await expect(verdict(page)).toHaveText(PASSES, { timeout: 45_000 });
    await expect.poll(() => page.url()).not.toContain('token');
    await setDefault(page, 'anchor-operator', 'candidate');
    await save(page);
    await expect(page.getByText(/^Saved .*anchor-operator\/catalog\.yaml\.$/)).toBeVisible();
  } finally {
    served.end();
    restarted?.end();
  }
});

test('without the token the folder cannot be opened', async ({ page }) => {
  const dir = fixture('harbor');
  const served = await serve(dir);
  try {
    const urlWithWrongToken = served.url.replace(/token=.*/, `token=${'0'.repeat(48)}`);
    await page.goto(urlWithWrongToken);
    await expect(page.getByText(/The folder cannot be opened/)).toBeVisible();
    expect(fs.existsSync(path.join(dir, BUOY))).toBe(true);
    await page.goto(new URL('/', served.url).href);
    await expect(page.getByRole('button', { name: 'Open folder…' })).toBeVisible();
    await expect(verdict(page)).toHaveCount(0);
  } finally {
    served.end();
  }
});
