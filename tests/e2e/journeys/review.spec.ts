// The review: its presentation of the changes, the commit message, and the choice of edits to save.
import fs from 'node:fs';
import path from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { accessible, apply, choosePackage, command, drop, entry, expect, field, fixture, openFolder, saveBy, setRange, start, test } from '../harness';

test.use({ guards: { write: 1, read: 1 } });

const ANCHOR = 'anchor-operator/catalog.yaml';

const review = (page: Page): Locator => page.getByRole('dialog', { name: 'Review changes' });
const open = async (page: Page): Promise<Locator> => {
  await page.getByRole('button', { name: /Review and save/ }).click();
  return review(page);
};

test('an edited commit message is kept and starts the patch', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  await setRange(page, '>=0.9.0 <1.2.0');
  const dialog = await open(page);
  const moreButton = dialog.getByRole('button', { name: 'Commit message and git apply' });
  const message = dialog.getByRole('textbox', { name: 'Commit message' });
  await moreButton.click();
  await expect(message).toHaveValue(/^set skip range .*0\.9\.0[^]*\nanchor-operator \(harbor\): /);
  const generated = await message.inputValue();
  await message.focus();
  expect(await message.evaluate((area: HTMLTextAreaElement) => [area.selectionStart, area.scrollTop]), 'the subject is in sight').toEqual([0, 0]);
  await message.fill('Skip from 0.9.0 on\n\nRefs: X-1');
  await accessible(page, 'an edited commit message');
  await page.keyboard.press('Escape');
  await open(page);
  await moreButton.click();
  await expect(message).toHaveValue('Skip from 0.9.0 on\n\nRefs: X-1');
  const [file] = await Promise.all([page.waitForEvent('download'), saveBy(dialog, 'Download patch')]);
  expect(fs.readFileSync(await file.path(), 'utf8')).toMatch(/^Skip from 0\.9\.0 on\n\nRefs: X-1\n\ndiff --git /);
  await dialog.getByRole('button', { name: 'Use the generated message' }).click();
  await expect(message).toHaveValue(generated);
});

test('long removed parts are folded, and old and new lines are side by side if there is room', async ({ page }) => {
  const dir = fixture('harbor');
  const text = fs.readFileSync(path.join(dir, ANCHOR), 'utf8');
  const blob = ['---', 'schema: olm.bundle', 'package: anchor-operator', 'name: anchor-operator.v9.9.9', 'image: example.com/anchor:v9.9.9',
    'properties:', '  - {type: olm.package, value: {packageName: anchor-operator, version: 9.9.9}}',
    ...Array.from({ length: 20 }, (_, at) => `  - {type: note, value: "${at}"}`),
    `  - {type: olm.bundle.object, value: {data: ${'eyJ4Ijoi'.repeat(80)}}}`, ''].join('\n');
  fs.writeFileSync(path.join(dir, ANCHOR), `${text.trimEnd()}\n${blob}`);
  await openFolder(page, dir);
  await choosePackage(page, 'anchor-operator');
  const form = await command(page, 'Remove bundle…');
  await field(form, 'Bundle', 'anchor-operator.v9.9.9');
  await apply(form);
  const dialog = await open(page);
  const fold = dialog.getByRole('button', { name: /^Show \d+ removed lines$/ });
  await expect(fold).toHaveAttribute('aria-expanded', 'false');
  await expect(dialog.getByText('schema: olm.bundle')).toHaveCount(0);
  await fold.press('Enter');
  await expect(dialog.getByRole('button', { name: /^Hide \d+ removed lines$/ })).toBeFocused();
  await expect(dialog.getByText('schema: olm.bundle')).toBeVisible();
  const showWholeLine = dialog.getByRole('button', { name: 'Show the whole line' });
  const line = dialog.locator('.diff-text').filter({ has: page.getByRole('button', { name: /Show (the whole line|less)/ }) });
  expect((await line.innerText()).length).toBeLessThan(200);
  await showWholeLine.press('Enter');
  await expect(line).toContainText('eyJ4Ijoi'.repeat(80));
  await accessible(page, 'a long removed part');

  const split = dialog.locator('.diff-lines').first();
  await expect(split).toHaveAttribute('data-split', 'true');
  const sides = dialog.locator('.diff-pair').first();
  const [old, now] = await Promise.all([sides.locator('.diff-old').boundingBox(), sides.locator('.diff-new').boundingBox()]);
  expect(old!.x + old!.width).toBeLessThanOrEqual(now!.x + 1);
  await page.setViewportSize({ width: 1100, height: 800 });
  await expect(split).toHaveAttribute('data-split', 'false');
  await expect(dialog.locator('.diff-pair')).toHaveCount(0);
});

async function setDefault(page: Page, name: string, channel: string): Promise<void> {
  await choosePackage(page, name);
  const form = await command(page, 'Set default channel…');
  await field(form, 'Channel', channel);
  await apply(form);
}

test('deselected edits stay unsaved, and nothing is lost', async ({ page, violations }) => {
  const dir = fixture('harbor');
  const read = (file: string): string => fs.readFileSync(path.join(dir, file), 'utf8');
  const before = read(ANCHOR);
  const unsaved = page.getByRole('button', { name: /Review and save/ });
  await openFolder(page, dir);
  await setDefault(page, 'anchor-operator', 'candidate');
  await setRange(page, '>=0.9.0 <1.2.0');
  await setDefault(page, 'buoy-operator', 'beta');
  const dialog = await open(page);
  const edits = dialog.getByRole('list', { name: 'Edits to save' });
  await expect(edits.getByRole('checkbox')).toHaveCount(3);
  for (const box of await edits.getByRole('checkbox').all()) await expect(box).toBeChecked();
  await expect(dialog.getByRole('button', { name: /^Revert/ }).first()).toBeVisible();

  await test.step('the review shows what is saved', async () => {
    await edits.getByRole('checkbox').first().uncheck();
    await expect(dialog.getByText('defaultChannel: candidate')).toHaveCount(0);
    await expect(dialog.getByText('>=0.9.0 <1.2.0').first()).toBeVisible();
    await expect(dialog.getByRole('button', { name: /^Revert/ })).toHaveCount(0);
    await accessible(page, 'edits that are left out');
  });

  await test.step('closing the review keeps all of them', async () => {
    await page.keyboard.press('Escape');
    await expect(unsaved).toContainText('2 files');
    await open(page);
    await expect(edits.getByRole('checkbox')).toHaveCount(3);
  });

  await test.step('the selected edits are saved', async () => {
    await edits.getByRole('listitem').filter({ hasText: 'candidate' }).getByRole('checkbox').uncheck();
    await expect(dialog.getByText('defaultChannel: candidate')).toHaveCount(0);
    await dialog.getByRole('button', { name: 'Save to disk' }).click();
    await expect(dialog).toBeHidden();
    expect(read(ANCHOR)).toBe(before.replace("skipRange: '>=1.0.0 <1.2.0'", "skipRange: '>=0.9.0 <1.2.0'"));
    expect(read('buoy-operator/catalog.json')).toContain('"defaultChannel": "beta"');
    await expect(unsaved).toContainText('1 file');
  });

  await test.step('the deselected edit is saved later, and undo reverts it', async () => {
    await choosePackage(page, 'anchor-operator');
    await expect(entry(page, 'anchor-operator.v1.3.0', 'candidate')).toHaveAccessibleName(/default channel/);
    await page.keyboard.press('ControlOrMeta+s');
    await expect.poll(() => read(ANCHOR)).toMatch(/defaultChannel: candidate[^]*>=0\.9\.0 <1\.2\.0/);
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await expect(entry(page, 'anchor-operator.v1.2.0', 'stable')).toHaveAccessibleName(/default channel/);
  });
  expect(violations).toEqual([]);
});

test('git apply asks where several catalogs are in the repository, once', async ({ page }) => {
  const dir = fixture('beacon');
  await start(page);
  await drop(page, ['v4.19', 'v4.20'].map(version => path.join(dir, version)));
  await page.getByRole('list', { name: 'Catalogs' }).getByRole('listitem', { name: /^v4\.20/ }).getByRole('button').first().click();
  await setDefault(page, 'beacon-operator', 'nightly');
  const dialog = await open(page);
  const more = dialog.getByRole('button', { name: 'Commit message and git apply' });
  await more.click();
  const where = dialog.getByLabel('Where is the folder that holds v4.19, v4.20 in your repository?');
  await expect(where, 'the usual place').toHaveValue('catalogs');
  await where.fill('fbc');
  const line = dialog.locator('.review-apply-line');
  await expect(line).toHaveText('git apply --directory=fbc catalogs.patch');
  await page.keyboard.press('Escape');
  await open(page);
  await more.click();
  await expect(where, 'the answer is kept').toHaveValue('fbc');
});

test('an edit that depends on a deselected one says so', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  await setRange(page, '>=0.9.0 <1.2.0');
  await setRange(page, '>=0.8.0 <1.2.0');
  const dialog = await open(page);
  const edits = dialog.getByRole('list', { name: 'Edits to save' });
  await edits.getByRole('checkbox').first().uncheck();
  const second = edits.getByRole('listitem').nth(1);
  await expect(second).toContainText('Needs “');
  await expect(second.getByRole('checkbox'), 'it is not saved').not.toBeChecked();
  await expect(dialog.getByRole('button', { name: 'Save to disk' })).toBeDisabled();
  await accessible(page, 'an edit that needs another');
  await second.getByRole('button', { name: 'Save as well' }).click();
  await expect(second).not.toContainText('Needs');
  await expect(edits.getByRole('checkbox').first()).toBeChecked();

  await edits.getByRole('checkbox').first().uncheck();
  await expect(second).toContainText('Needs “');
  await second.getByRole('checkbox').click();
  await expect(edits.getByRole('checkbox').first(), 'ticking it saves the other one as well').toBeChecked();
  await expect(second.getByRole('checkbox')).toBeChecked();
  await expect(dialog.getByRole('button', { name: 'Save to disk' })).toBeEnabled();
});

test('deselected edits survive the page', async ({ page }) => {
  const dir = fixture('harbor');
  await openFolder(page, dir);
  await setDefault(page, 'anchor-operator', 'candidate');
  await setRange(page, '>=0.9.0 <1.2.0');
  const dialog = await open(page);
  await dialog.getByRole('list', { name: 'Edits to save' }).getByRole('checkbox').first().uncheck();
  await expect(dialog.getByText('defaultChannel: candidate')).toHaveCount(0);
  page.on('dialog', asked => void asked.accept());
  await openFolder(page, dir);
  await page.getByRole('button', { name: 'Continue with 2 edits' }).click();
  await open(page);
  await expect(dialog.getByRole('list', { name: 'Edits to save' }).getByRole('checkbox')).toHaveCount(2);
});
