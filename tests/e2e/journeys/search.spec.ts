// The palette: searching everything that is open, and commands.
import fs from 'node:fs';
import path from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { accessible, choosePackage, entry, expect, fixture, graph, openFolder, packageItem, test } from '../harness';

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Command palette' });
const results = (page: Page) => dialog(page).getByRole('option');
const chosen = (page: Page) => dialog(page).locator('[role=option][aria-selected=true]');

async function search(page: Page, text: string): Promise<Locator> {
  await page.keyboard.press('ControlOrMeta+k');
  await dialog(page).getByRole('combobox').fill(text);
  await expect(dialog(page).locator('.palette-found')).not.toHaveText('Searching…');
  return results(page);
}

const GOES_TO: [string, RegExp, string, string, RegExp][] = [
  ['anchor-op', /^anchor-operator, package/, 'anchor-operator', '', /anchor-operator/],
  ['candidate', /^candidate, channel, anchor-operator/, 'anchor-operator', '', /candidate/],
  ['anchor-operator.v1.3', /^anchor-operator\.v1\.3\.0, bundle, anchor-operator/, 'anchor-operator', 'anchor-operator.v1.3.0 in candidate', /anchor-operator\.v1\.3\.0/],
  ['1.1.0', /^1\.1\.0, version, /, '', '', /1\.1\.0/],
  ['bundle:v1.2.0', /^quay\.io\/harbor\/anchor-bundle:v1\.2\.0, image/, 'anchor-operator', 'anchor-operator.v1.2.0 in stable', /anchor-operator\.v1\.2\.0/],
  ['anchor harbor.exam', /^Anchor harbor\.example\.com\/v1, provided API/, 'anchor-operator', 'anchor-operator.v1.3.0 in candidate', /anchor-operator\.v1\.3\.0/],
];

test('a name is found by mouse and shown', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  for (const [typed, name, of, shown, inspected] of GOES_TO) {
    await test.step(typed, async () => {
      await choosePackage(page, 'crane-operator');
      const found = await search(page, typed);
      await found.filter({ visible: true }).and(page.getByRole('option', { name })).first().click();
      await expect(dialog(page)).toBeHidden();
      if (of) await expect(page.getByRole('region', { name: `Upgrade graph of ${of}` })).toBeVisible();
      await expect(page.getByRole('complementary', { name: 'Inspector' })).toContainText(inspected);
      const [bundle = '', channel = ''] = shown.split(' in ');
      if (shown) await expect(entry(page, bundle, channel)).toHaveAttribute('aria-pressed', 'true');
      // The chosen thing has the focus, not the previously focused one.
      if (shown) await expect(entry(page, bundle, channel)).toBeFocused();
    });
  }
});

test('search works with the keyboard only, and is announced', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'crane-operator');
  await graph(page).getByRole('button').first().focus();
  await page.keyboard.press('/');
  const box = dialog(page).getByRole('combobox', { name: 'Command palette' });
  await expect(box).toBeFocused();
  await expect(results(page).first()).toHaveAccessibleName(/, command/);
  // Visible results are rendered, the others while scrolling.
  const all = Number(await results(page).first().getAttribute('aria-setsize'));
  expect(all).toBeGreaterThan(40);
  expect(await results(page).count()).toBeLessThan(all / 2);
  await page.keyboard.press('End');
  await results(page).first().hover();
  await expect(async () => {
    await page.mouse.wheel(0, 4000);
    expect(await results(page).count()).toBe(all);
  }).toPass();

  await page.keyboard.type('anchor');
  await expect(dialog(page).locator('.palette-found')).toHaveText(/^\d+ names?(, \d+ problems?)?$/);
  await expect(chosen(page)).toHaveAccessibleName('anchor-operator, package');
  await expect(chosen(page).locator('mark')).toHaveText('anchor');
  await expect(box).toHaveAttribute('aria-activedescendant', await chosen(page).getAttribute('id') ?? '');
  await accessible(page, 'search results');

  const count = Number(await results(page).first().getAttribute('aria-setsize'));
  await page.keyboard.press('ArrowUp');
  await expect(results(page).nth(count - 1)).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('ArrowDown');
  await expect(results(page).first()).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('PageDown');
  await expect(results(page).nth(Math.min(10, count - 1))).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('PageUp');
  await expect(results(page).first()).toHaveAttribute('aria-selected', 'true');

  await box.fill('no such thing anywhere');
  await expect(dialog(page).locator('.palette-found')).toHaveText(/^Nothing found among names, file paths and problems, or in the text of any file$/);
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toBeHidden();
  await expect(graph(page).getByRole('button').first()).toBeFocused();

  // Enter accepts the first result of the typed text, however fast it comes.
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type('buoy-operator');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('region', { name: 'Upgrade graph of buoy-operator' })).toBeVisible();
});

test('other text is searched in all files, and its line is shown', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  // No name contains this text, so that lines are listed at once.
  const lines = await search(page, 'description: |');
  await expect(lines).toHaveCount(1);
  await expect(dialog(page).locator('.palette-group')).toHaveText('harbor/anchor-operator/catalog.yaml');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('textbox', { name: 'Text: Source of anchor-operator/catalog.yaml' })).toBeVisible();
  // Lines follow a few names.
  await search(page, 'anchor-bundle');
  await expect(dialog(page).locator('.palette-found')).toHaveText(/^4 matches in \d+ files?$/);
  await expect(results(page).filter({ hasText: 'line' }).first()).toHaveAccessibleName(/^image: quay\.io\/harbor\/anchor-bundle:v1\.0\.0, line 36, anchor-operator\.v1\.0\.0$/);
  // Beside many names, the last row offers the text search.
  await search(page, 'anchor-operator');
  await results(page).filter({ hasText: 'Search in all files for “anchor-operator”' }).click();
  await expect(dialog(page).locator('.palette-found')).toHaveText(/^\d+ matches in \d+ files?$/);
  await accessible(page, 'lines found in all files');
});

test('a line found in a file selects its package and bundle', async ({ page }) => {
  const dir = fixture('harbor');
  fs.writeFileSync(path.join(dir, 'notes.yaml'), 'schema: example.com/notes\ntext: 🚢 für mooring rules\n');
  await openFolder(page, dir);
  await choosePackage(page, 'buoy-operator');
  const heading = page.getByRole('heading', { level: 1 });
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  await search(page, 'anchor-bundle');
  await expect(dialog(page).locator('.palette-found')).toContainText(/matches in \d+ file/);
  await results(page).filter({ hasText: 'image: quay.io/harbor/anchor-bundle:v1.1.0' }).click();
  await expect(page.getByRole('textbox', { name: 'Text: Source of anchor-operator/catalog.yaml' })).toBeVisible();
  await expect(heading).toHaveText('anchor-operator');
  await expect(inspector).toContainText('anchor-operator.v1.1.0');
  await page.getByRole('searchbox', { name: 'Search packages' }).fill('');
  await expect(packageItem(page, 'anchor-operator').getByRole('button')).toHaveAttribute('aria-current', 'true');

  await search(page, 'mooring rules');
  await page.keyboard.press('Enter');
  const notes = page.getByRole('textbox', { name: 'Text: Source of notes.yaml' });
  await expect(notes).toBeFocused();
  await expect.poll(async () => notes.evaluate((area: HTMLTextAreaElement) => area.value.slice(area.selectionStart, area.selectionEnd))).toBe('mooring rules');
  await expect(heading, 'it belongs to no package').toHaveText('notes.yaml');
  await page.getByRole('tab', { name: 'Graph' }).click();
  await expect(heading).toHaveText('anchor-operator');

  await search(page, 'buoy-operator/catalog');
  await results(page).filter({ hasText: 'buoy-operator/catalog.json' }).first().click();
  await expect(page.getByRole('textbox', { name: 'Text: Source of buoy-operator/catalog.json' })).toBeVisible();
  await expect(heading).toHaveText('buoy-operator');
});

test('a problem is found and opened', async ({ page }) => {
  await openFolder(page, fixture('forked'));
  const found = await search(page, 'channel-head-multiple');
  await expect(found.first()).toHaveAccessibleName(/^channel-head-multiple: .*, problem/);
  await found.first().click();
  await expect(page.getByRole('region', { name: 'Problems' }).getByRole('listitem').filter({ hasText: 'channel-head-multiple' }).first())
    .toContainText('Why');
});
