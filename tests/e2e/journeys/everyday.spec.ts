// Editing all day: typed text is never lost, and results are visible.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { bundle, catalogs } from '../bundles';
import { catalogOf, inAChain, packageText } from '../catalogs';
import { accessible, apply, choosePackage, command, drop, entry, expect, field, fixture, openFolder, test } from '../harness';

test('text typed in a form that Escape closed is restored when the form reopens', async ({ page, violations }) => {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  const name = 'anchor-operator.v1.1.0';
  const deprecate = async (of: string): Promise<Locator> => {
    await entry(page, of, 'stable').click();
    return command(page, 'Deprecate…');
  };
  const form = await deprecate(name);
  const message = form.getByLabel('Message', { exact: true });
  const filled = await message.inputValue();
  await message.fill('Has a leak; use 1.2.');
  await page.keyboard.press('Escape');
  await expect(form).toBeHidden();

  await test.step('for the same version, and only for that one', async () => {
    await deprecate('anchor-operator.v1.0.0');
    await expect(message).toHaveValue(filled);
    await expect(form.getByRole('group', { name: 'Typed before' })).toHaveCount(0);
    await page.keyboard.press('Escape');
    await deprecate(name);
    await expect(message).toHaveValue('Has a leak; use 1.2.');
    await expect(form.getByRole('group', { name: 'Typed before' })).toBeVisible();
    await expect(form.getByLabel('Bundle', { exact: true }), 'Enter does not apply it').toBeFocused();
    await accessible(page, 'a form with what was typed before');
  });

  await test.step('until the user starts again, cancels or applies', async () => {
    await form.getByRole('button', { name: 'Start again' }).click();
    await expect(message).toHaveValue(filled);
    await expect(message).toBeFocused();
    await message.fill('Too old.');
    await form.getByRole('button', { name: 'Cancel' }).click();
    await deprecate(name);
    await expect(message).toHaveValue(filled);
    await message.fill('Too old.');
    await page.keyboard.press('Escape');
    await deprecate(name);
    await expect(form.getByRole('region', { name: 'Preview' })).toContainText('Too old.');
    await apply(form);
    await deprecate(name);
    await expect(form.getByRole('group', { name: 'Typed before' })).toHaveCount(0);
  });
  expect(violations).toEqual([]);
});

test('Escape keeps what was typed for a new catalog and for dropped bundles', async ({ page, violations }) => {
  await openFolder(page, catalogs({ 'v4.16': 'yard' }));
  const before = (dialog: Locator): Locator => dialog.getByRole('group', { name: 'Typed before' });

  await test.step('a new catalog', async () => {
    const dialog = await command(page, 'New catalog…');
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    await command(page, 'New catalog…');
    await expect(before(dialog), 'nothing was typed').toHaveCount(0);
    await field(dialog, 'Name', 'harbours');
    await field(dialog, 'OpenShift versions', '4.17-4.19');
    await field(dialog, 'Format', 'json');
    // The first Escape ends the typing.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    await command(page, 'New catalog…');
    await expect(before(dialog)).toBeVisible();
    await expect(dialog.getByLabel('Name', { exact: true })).toHaveValue('harbours');
    await expect(dialog.getByLabel('Name', { exact: true }), 'Enter does not start again').toBeFocused();
    await expect(dialog.getByLabel('OpenShift versions')).toHaveValue('4.17-4.19');
    await expect(dialog.getByLabel('Format')).toHaveValue('json');
    await accessible(page, 'a new catalog with what was typed before');
    await dialog.getByRole('button', { name: 'Start again' }).click();
    await expect(dialog.getByLabel('Name', { exact: true })).toHaveValue('catalog');
    await field(dialog, 'Name', 'harbours');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await command(page, 'New catalog…');
    await expect(dialog.getByLabel('Name', { exact: true }), 'Cancel discards it').toHaveValue('catalog');
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
  });

  await test.step('dropped bundles', async () => {
    const form = page.getByRole('dialog', { name: 'Add yard.v1.2.0' });
    const image = form.getByLabel('Image', { exact: true });
    await drop(page, [bundle('1.2.0')]);
    const filled = await image.inputValue();
    await field(form, 'Image', 'example.com/other:v1');
    await form.getByRole('checkbox', { name: 'fast' }).check();
    await page.keyboard.press('Escape');
    await expect(form).toBeHidden();
    // The drop target may differ.
    await drop(page, [bundle('1.2.0')], page.getByRole('region', { name: 'Upgrade graph of yard' }).getByRole('button', { name: /^Channel fast/ }));
    await expect(before(form)).toBeVisible();
    await expect(image).toHaveValue('example.com/other:v1');
    await expect(form.getByRole('checkbox', { name: 'fast' })).toBeChecked();
    await expect(form.getByRole('region', { name: 'Preview' })).toContainText('image: example.com/other:v1');
    await form.getByRole('button', { name: 'Start again' }).click();
    await expect(image).toHaveValue(filled);
    await expect(form.getByRole('checkbox', { name: 'stable' }), 'as for the current drop target').not.toBeChecked();
  });
  expect(violations).toEqual([]);
});

/// A package with more channels than fit the view.
function fleet(): string {
  const channels = Array.from({ length: 24 }, (_, at) => `fleet-${String(at + 10)}`);
  return catalogOf('fleets', 'fleet', 'quay.io/fleets/fleet',
    Object.fromEntries(channels.map(channel => [channel, inAChain(['1.0.0', '1.1.0', '1.2.0'])])));
}

test('an edited entry scrolls into view, and a visible one does not move', async ({ page, violations }) => {
  await openFolder(page, fleet());
  await choosePackage(page, 'fleet');
  const [head, first] = ['fleet.v1.2.0', 'fleet.v1.0.0'];
  const top = (): Promise<number | undefined> => entry(page, head, 'fleet-10').boundingBox().then(box => box?.y);
  const withdraw = async (channel: string, from: string): Promise<void> => {
    const form = await command(page, 'Set replaces…');
    await field(form, 'Channel', channel);
    await field(form, 'Entry', head);
    await field(form, 'Replaces', from);
    await apply(form);
  };
  await expect(entry(page, head, 'fleet-10')).toBeInViewport();
  await expect(entry(page, head, 'fleet-11'), 'the oldest channel is last').not.toBeInViewport();
  const before = await top();
  await withdraw('fleet-33', first);
  expect(await top(), 'visible entries do not move').toBe(before);
  await withdraw('fleet-11', first);
  await expect(entry(page, head, 'fleet-11')).toBeInViewport();
  expect(violations).toEqual([]);
});

test('a comparison of two equal catalogs says so', async ({ page, violations }) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-same-'));
  for (const name of ['v4.18', 'v4.19']) fs.cpSync(fixture('harbor'), path.join(dir, name), { recursive: true });
  await openFolder(page, dir);
  await page.getByRole('list', { name: 'Catalogs' }).getByRole('button', { name: /^v4\.18/ }).click();
  await choosePackage(page, 'anchor-operator');
  await page.getByRole('tab', { name: 'Compare' }).click();
  const compare = page.getByRole('region', { name: 'Compare', exact: true });
  await compare.getByLabel('Users come from').selectOption({ label: 'v4.19' });
  const same = 'Nothing changed: both catalogs have the same packages, channels and bundles.';
  await expect(compare.getByRole('group', { name: 'Both catalogs' })).toContainText(same);
  await accessible(page, 'the same catalog');
  expect(violations).toEqual([]);
});

/// File names on the page that are broken across lines.
const brokenNames = (page: Page): Promise<string[]> => page.evaluate(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const found: string[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.textContent ?? '';
    for (const name of text.matchAll(/[\w.]+\.(yaml|json)/g)) {
      if (node.parentElement?.closest('.editor, .visually-hidden')) continue;
      range.setStart(node, name.index);
      range.setEnd(node, name.index + name[0].length);
      const lines = new Set([...range.getClientRects()].filter(box => box.width > 0).map(box => Math.round(box.top)));
      if (lines.size > 1) found.push(`${name[0]} in ${node.parentElement?.className ?? ''}`);
    }
  }
  return found;
});

test('paths wrap after slashes, and file names are never broken', async ({ page, violations }) => {
  const dir = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-deep-')), 'catalogs');
  fs.cpSync(fixture('harbor'), path.join(dir, 'v4.20'), { recursive: true });
  // The lengths vary so that at least one path just exceeds the list's width in any font.
  for (let length = 1; length <= 14; length++) {
    const within = path.join(dir, 'v4.20', 'anchor-operator', 'n'.repeat(length), 'm'.repeat(5));
    fs.mkdirSync(within, { recursive: true });
    fs.writeFileSync(path.join(within, 'catalog.yaml'), 'schema: [\n');
    const ignored = path.join(dir, 'v4.20', 'c'.repeat(length), 'i');
    fs.mkdirSync(ignored, { recursive: true });
    fs.writeFileSync(path.join(ignored, 'pipeline.yaml'), 'steps: [\n');
  }
  fs.appendFileSync(path.join(dir, 'v4.20', '.indexignore'), 'pipeline.yaml\n');
  await openFolder(page, dir);
  await page.getByText(/that no catalog uses$/).click();
  await expect(page.getByRole('list', { name: 'Files that no catalog uses' }).getByRole('listitem').first()).toBeVisible();
  await page.getByRole('tab', { name: /^Problems/ }).click();
  await page.getByRole('region', { name: /^Problems/ }).getByRole('button', { expanded: false }).first().click();
  expect(await brokenNames(page)).toEqual([]);
  expect(violations).toEqual([]);
});

test('commands that take a bundle away explain their extent, from gentle to drastic', async ({ page, violations }) => {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  const selectedEntry = entry(page, 'anchor-operator.v1.1.0', 'stable');
  const commands = [
    ['Withdraw bundle…', 'Keeps it in the file; Classic upgrades nobody to it'],
    ['Remove entry…', 'Takes it out of this channel; its bundle stays'],
    ['Remove bundle…', 'Takes it out of the catalog and all channels'],
  ] as const;
  await selectedEntry.click({ button: 'right' });
  const menu = page.getByRole('menu');
  const places: number[] = [];
  for (const [name, note] of commands) {
    const item = menu.getByRole('menuitem', { name, exact: true });
    await expect(item).toHaveAccessibleDescription(note);
    places.push((await item.boundingBox())?.y ?? 0);
  }
  expect([...places].sort((a, b) => a - b)).toEqual(places);
  await accessible(page, 'a menu with notes');
  await page.keyboard.press('Escape');

  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  const [withdraw, ...others] = commands;
  await expect(inspector.getByRole('button', { name: withdraw[0], exact: true })).toHaveAccessibleDescription(withdraw[1]);
  await inspector.getByRole('toolbar', { name: 'Commands' }).getByRole('button').first().focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.locator('.focus-tip'), 'shown for the keyboard too').toHaveText(withdraw[1]);
  await expect(inspector.getByRole('toolbar', { name: 'Commands' }).getByRole('button'), 'five commands and More').toHaveCount(6);
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  for (const [name, note] of others) await expect(menu.getByRole('menuitem', { name, exact: true })).toHaveAccessibleDescription(note);
  expect(violations).toEqual([]);
});

test('a long message takes two lines, and its full text is shown on hover and on focus', async ({ page }) => {
  await page.setViewportSize({ width: 1024, height: 768 });
  const long = `a-${'very-'.repeat(30)}long-name`;
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-long-'));
  fs.cpSync(fixture('harbor'), path.join(dir, long), { recursive: true });
  await openFolder(page, fixture('beacon'));
  await drop(page, [path.join(dir, long)]);
  await page.getByRole('dialog', { name: /^Open / }).getByRole('button', { name: /^Add/ }).click();
  const toast = page.locator('.toast').filter({ hasText: 'Added' });
  const text = toast.locator('.toast-text');
  await expect(text).toHaveAttribute('title', `Added ${long}.`);
  const [height, line] = await text.evaluate(element => [element.clientHeight, parseFloat(getComputedStyle(element).lineHeight)]);
  expect(Math.round(height! / line!)).toBe(2);
  await toast.getByRole('button', { name: 'Dismiss' }).focus();
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Tab');
  await expect(page.locator('.focus-tip')).toHaveText(`Added ${long}.`);
});

test('folding without anything to fold is disabled, and an added channel counts as one change', async ({ page, violations }) => {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  const fold = page.getByRole('button', { name: 'Fold z-streams' });
  await expect(fold).toHaveAttribute('aria-pressed', 'false');
  await expect(fold).toBeDisabled();
  await expect(fold).toHaveAccessibleDescription(/^Too few older versions/);
  await fold.click({ force: true });
  await expect(fold).toHaveAttribute('aria-pressed', 'false');

  const form = await command(page, 'Add channel…');
  await field(form, 'Channel', 'stable-v1');
  await field(form, 'From', 'stable');
  await apply(form);
  const lastEdit = page.getByRole('region', { name: 'Last edit' });
  await expect(lastEdit).toContainText('stable-v1');
  await expect(lastEdit).not.toContainText('head moved');
  await accessible(page, 'a new channel');
  expect(violations).toEqual([]);
});

test('every count of problems is the same', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  const form = await command(page, 'Set replaces…');
  await field(form, 'Channel', 'stable');
  await field(form, 'Entry', 'anchor-operator.v1.2.0');
  await field(form, 'Replaces', '');
  await apply(form);
  const tab = page.getByRole('tab', { name: /^Problems/ });
  await tab.click();
  const listed = await page.getByRole('region', { name: 'Problems' }).locator('.problem').count();
  expect(listed).toBeGreaterThan(1);
  await expect(tab).toHaveText(new RegExp(`^Problems\\s*${listed}$`));
  const countText = await page.getByRole('contentinfo').getByRole('button', { name: /errors? · / }).innerText();
  expect((countText.match(/\d+/g) ?? []).map(Number).reduce((sum, count) => sum + count, 0)).toBe(listed);
  // A count of packages is labelled as such.
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await expect(page.getByRole('menuitemcheckbox', { name: 'With problems (1)' })).toBeVisible();
});

test('a part of a catalog names what it loses, and takes in the package that it requires', async ({ page, violations }) => {
  const dir = catalogOf('harbour', 'buoy', 'example.com/buoy', { stable: inAChain(['2.0.0']), old: inAChain(['1.0.0', '1.1.0']) });
  const required = '  - {type: olm.package.required, value: {packageName: pier, versionRange: ">=1.0.0"}}\n';
  fs.appendFileSync(path.join(dir, 'buoy/catalog.yaml'), required);
  fs.mkdirSync(path.join(dir, 'pier'));
  fs.writeFileSync(path.join(dir, 'pier/catalog.yaml'), packageText('pier', 'example.com/pier', { alpha: inAChain(['1.0.0']) }));
  await openFolder(page, dir);
  await choosePackage(page, 'buoy');
  const form = await command(page, 'Save a part as…');
  const losses = form.getByRole('list', { name: 'What is lost' });
  await expect(losses.getByRole('listitem')).toHaveText([/^`?buoy`? requires package pier >=1\.0\.0, which no kept bundle provides: add pier\./]);
  await form.getByLabel('Entries').selectOption('a version and everything newer');
  await form.getByLabel('From version').fill('1.1.0');
  await expect(losses).toHaveCount(1);
  await form.getByLabel('From version').fill('2.0.0');
  await expect(losses).toContainText('Channel old of buoy disappears: none of its versions (1.0.0 to 1.1.0) is kept.');
  await form.getByLabel('Entries').selectOption('all versions');
  await accessible(page, 'a part with losses');
  await losses.getByRole('button', { name: 'Add pier' }).click();
  await expect(losses).toHaveCount(0);
  await expect(form.getByRole('group', { name: /^Packages/ }).getByRole('checkbox', { name: 'pier' })).toBeChecked();
  expect(violations).toEqual([]);
});

test('the Catalog menu has the commands for whole catalogs', async ({ page, violations }) => {
  await openFolder(page, catalogs({ 'v4.16': 'yard', 'v4.17': 'rail' }));
  const menu = page.getByRole('menu', { name: 'Catalog', exact: true });
  const open = () => page.getByRole('button', { name: 'Catalog', exact: true }).click();
  await open();
  for (const name of ['Save a part as…', 'New catalog…', 'New package…', 'Copy packages…', 'Compare with…', 'Download all files', 'Download Dockerfile', 'Try on a cluster…', 'Make a template…'])
    await expect(menu.getByRole('menuitem', { name, exact: true })).toBeVisible();
  await expect(menu.getByRole('menuitem', { name: 'Treat a folder as one catalog…' }), 'the list of catalogs offers it').toHaveCount(0);
  await accessible(page, 'the menu Catalog');

  await test.step('packages are copied to the current catalog, and the fields are in order', async () => {
    const inView = await page.getByRole('list', { name: 'Catalogs' }).locator('[aria-current]').innerText();
    await menu.getByRole('menuitem', { name: 'Copy packages…' }).click();
    const form = page.getByRole('dialog', { name: 'Copy packages…' });
    await expect(form.getByLabel('From catalog')).toBeFocused();
    await expect(form.getByLabel('To catalog')).toHaveValue(/v4\.1[67]/);
    expect(inView).toContain(await form.getByLabel('To catalog').inputValue());
    const tops = await Promise.all(['From catalog', 'If it exists', 'To catalog'].map(async name => (await form.getByLabel(name).boundingBox())?.y ?? 0));
    expect([...tops].sort((a, b) => a - b)).toEqual(tops);
    await expect(form.getByRole('group', { name: 'Also in' }), 'a copy is made into one catalog').toHaveCount(0);
    await page.keyboard.press('Escape');
    if (await form.isVisible()) await page.keyboard.press('Escape');
  });

  await test.step('a dismissed offer is in the menu', async () => {
    await page.getByRole('button', { name: 'Do not offer this' }).first().click();
    const offer = page.getByRole('button', { name: /^Treat folder .* as one catalog/ });
    await expect(offer).toHaveCount(0);
    await open();
    await menu.getByRole('menuitem', { name: 'Treat a folder as one catalog…' }).click();
    await expect(offer.first()).toBeFocused();
  });
  expect(violations).toEqual([]);
});
