// Typed text keeps its place, open files keep their origin, and keystrokes are journaled at once.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { choosePackage, drop, entry, expect, fixture, openFolder, preparePicker, setRange, start, test, tree, verdict } from '../harness';

const FILE = 'anchor-operator/catalog.yaml';

test.use({ guards: { write: 1, read: 1 } });

const review = (page: Page): Locator => page.getByRole('dialog', { name: 'Review changes' });
const text = (page: Page): Locator => page.getByRole('textbox', { name: `Text: Source of ${FILE}` });
const history = (page: Page): Locator => page.getByRole('list', { name: 'History' }).getByRole('button');
const read = (dir: string): string => fs.readFileSync(path.join(dir, FILE), 'utf8');

async function openSource(page: Page): Promise<Locator> {
  await choosePackage(page, 'anchor-operator');
  await entry(page, 'anchor-operator.v1.2.0', 'stable').click();
  await page.getByRole('tab', { name: 'Source' }).click();
  await expect(text(page), 'its text is loaded').toHaveValue(/\S/);
  return text(page);
}

/// Puts the caret at the end of the first line that contains this text.
async function placeCaret(area: Locator, at: string): Promise<void> {
  await area.evaluate((element: HTMLTextAreaElement, at) => {
    const found = element.value.indexOf(at);
    if (found < 0) throw new Error(`no ${at}`);
    const place = element.value.indexOf('\n', found);
    element.focus();
    element.setSelectionRange(place, place);
    element.dispatchEvent(new KeyboardEvent('keyup'));
  }, at);
}

/// The first line with `replaces`, and the one after it.
function findReplaces(source: string): { line: string, behind: string } {
  const lines = source.split('\n');
  const at = lines.findIndex(line => /^\s*replaces:/.test(line));
  return { line: lines[at] ?? '', behind: lines[at + 1] ?? '' };
}

test('a typed line is merged below the entry where it was typed', async ({ page }) => {
  const dir = fixture('harbor');
  await openFolder(page, dir);
  const area = await openSource(page);
  const before = read(dir);
  const { line } = findReplaces(before);
  await placeCaret(area, line);
  await page.keyboard.press('Enter');
  await page.keyboard.type('# typed here');
  await expect(history(page)).toHaveCount(1);
  fs.writeFileSync(path.join(dir, FILE), `# one line more\n${before}`);
  await page.keyboard.press('ControlOrMeta+s');
  await expect(review(page).getByRole('radio', { name: /^Merge/ })).toBeChecked();
  await review(page).getByRole('button', { name: 'Save', exact: true }).click();
  await expect(review(page)).toBeHidden();
  const saved = read(dir).split('\n');
  expect(saved[0]).toBe('# one line more');
  expect(saved[saved.findIndex(found => found.includes('# typed here')) - 1]).toBe(line);
});

test('a folder of the same name is opened beside the first one', async ({ page }) => {
  const dir = fixture('harbor');
  const other = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-other-')), path.basename(dir));
  fs.cpSync(dir, other, { recursive: true });
  const before = tree(dir);
  await openFolder(page, dir);
  await drop(page, [other]);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  const catalogs = page.getByRole('list', { name: 'Catalogs' }).or(page.getByRole('listbox', { name: 'Catalogs' }));
  await expect(catalogs).toContainText(`${path.basename(dir)} (2)`, { timeout: 30_000 });
  expect(tree(dir)).toEqual(before);
});

test('keystrokes just before a crash are restored, and leaving the page asks', async ({ page }) => {
  const dir = fixture('harbor');
  await openFolder(page, dir);
  const area = await openSource(page);
  const { line } = findReplaces(read(dir));
  await placeCaret(area, line);
  await page.keyboard.press('Enter');
  // Without a pause, which would make a step.
  await page.keyboard.type('# typed without a pause', { delay: 60 });
  const dialogHandled = page.waitForEvent('dialog').then(async dialog => {
    const type = dialog.type();
    await dialog.dismiss();
    return type;
  });
  await page.reload({ timeout: 3_000 }).catch(() => {});
  expect(await dialogHandled).toBe('beforeunload');
  await page.keyboard.type('!', { delay: 60 });
  await page.waitForTimeout(500);
  const next = await page.context().newPage();
  await page.close({ runBeforeUnload: false });
  const answer = await preparePicker(next);
  await start(next);
  const item = next.getByRole('list', { name: 'Unsaved edits' }).getByRole('listitem');
  await expect(item).toHaveCount(1);
  await answer(dir);
  await item.getByRole('button', { name: 'Continue…' }).click();
  await expect(history(next).first()).toBeVisible({ timeout: 30_000 });
  await expect(verdict(next)).toHaveText(/opm validate/);
  await expect(await openSource(next)).toHaveValue(/# typed without a pause!/);
});

test('a file that changed on disk is not shown until it is read again', async ({ page }) => {
  const dir = fixture('harbor');
  await openFolder(page, dir);
  await setRange(page, '>=1.0.0 <1.2.0-1');
  const file = path.join(dir, 'buoy-operator/catalog.json');
  const before = fs.readFileSync(file, 'utf8');
  fs.writeFileSync(file, before.replace('"defaultChannel": "alpha"', '"defaultChannel": "beta"'));
  await choosePackage(page, 'buoy-operator');
  await page.getByRole('tab', { name: 'Source' }).click();
  await expect(page.getByText(/The text cannot be shown: .*buoy-operator\/catalog\.json changed on disk/)).toBeVisible();
  await expect(page.getByRole('textbox', { name: /^Text: Source of/ })).toBeHidden();
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  await page.getByRole('button', { name: /^Reload/ }).first().click();
  await expect(page.getByRole('textbox', { name: 'Text: Source of buoy-operator/catalog.json' })).toHaveValue(/"defaultChannel": "beta"/);
  await expect(page.getByText(/The text cannot be shown/)).toBeHidden();
  await expect(page.getByRole('button', { name: /Review and save/ })).toContainText('1');
});
