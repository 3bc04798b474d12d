// The list of packages: filters, a thousand packages.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { accessible, choosePackage, expect, fixture, openFolder, packageItem, test } from '../harness';
import { pageMemory } from '../page_memory';

const side = (page: Page): Locator => page.getByRole('navigation', { name: 'Catalogs and packages' });
const list = (page: Page): Locator => page.getByRole('list', { name: 'Packages', exact: true });
const graphOf = (page: Page, name: string): Locator => page.getByRole('region', { name: `Upgrade graph of ${name}` });

const packageOf = (name: string, channels: string[]): string => [`schema: olm.package\nname: ${name}\ndefaultChannel: ${channels[0]}`,
  ...channels.map(channel => `schema: olm.channel\npackage: ${name}\nname: ${channel}\nentries:\n  - name: ${name}.v1.0.0`),
  `schema: olm.bundle\npackage: ${name}\nname: ${name}.v1.0.0\nimage: registry.example/${name}@sha256:0\nproperties:\n  - type: olm.package\n    value:\n      packageName: ${name}\n      version: 1.0.0\n`].join('\n---\n');

test('packages are listed by name and searched', async ({ page }) => {
  const dir = fixture('forked');
  const long = 'zz-many-versions-of-an-operator-whose-name-is-cut';
  fs.writeFileSync(path.join(dir, 'many.yaml'), packageOf(long, ['c']));
  await openFolder(page, dir);
  const names = () => list(page).getByRole('listitem').evaluateAll(items => items.map(item => (item.getAttribute('aria-label') ?? '').split(',')[0]));
  await expect.poll(names).toEqual(['buoy-operator', 'winch-operator', long]);

  await page.getByRole('searchbox', { name: 'Search packages' }).fill('nothing is called so');
  await expect(side(page)).toContainText('No package matches.');
  await side(page).getByRole('button', { name: 'Show all packages' }).click();
  await expect(list(page).getByRole('listitem')).toHaveCount(3);
  await expect(page.getByRole('searchbox', { name: 'Search packages' })).toBeFocused();
  await list(page).getByRole('button').first().focus();
  await page.keyboard.press('End');
  await expect(page.locator('.focus-tip'), 'the whole name').toHaveText(long);
});

test('filters combine, and say when they hide everything', async ({ page }) => {
  const dir = fixture('harbor');
  fs.appendFileSync(path.join(dir, 'anchor-operator/catalog.yaml'), [
    '---', 'schema: olm.bundle', 'package: anchor-operator', 'name: anchor-operator.v9.0.0', 'image: quay.io/a/b:9', 'properties:',
    '- {type: olm.package, value: {packageName: anchor-operator, version: 9.0.0}}',
    '- {type: olm.package.required, value: {packageName: buoy-operator, versionRange: ">=0.1.0"}}', ''].join('\n'));
  await openFolder(page, dir);
  const button = side(page).getByRole('button', { name: /^Filter/ });
  const item = (name: string) => page.getByRole('menuitemcheckbox', { name: new RegExp(`${name} \\(\\d+\\)$`) });
  await button.click();
  await expect(item('With unreleased bundles'), 'only a repository has some').toHaveCount(0);
  await item('With requirements').click();
  await item('Failing').click();
  await expect(item('Failing')).toBeChecked();
  await accessible(page, 'filters of packages');
  await page.keyboard.press('Escape');
  await expect(button).toBeFocused();
  await expect(button).toHaveAccessibleName('Filter 2 active');
  await expect(list(page).getByRole('listitem')).toHaveCount(1);
  await expect(packageItem(page, 'anchor-operator')).toBeVisible();

  await page.getByRole('searchbox', { name: 'Search packages' }).fill('buoy');
  await expect(side(page)).toContainText('The filters hide every package.');
  await side(page).getByRole('button', { name: 'Clear filters' }).click();
  await expect(list(page).getByRole('listitem')).toHaveCount(1);
  await expect(packageItem(page, 'buoy-operator')).toBeVisible();
  await expect(button).toHaveAccessibleName('Filter');
});

test('a list of a thousand packages renders only the visible ones', async ({ page }) => {
  test.slow();
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-thousand-'));
  for (let number = 0; number < 1000; number++) {
    const name = `p${String(number).padStart(4, '0')}`;
    fs.writeFileSync(path.join(dir, `${name}.yaml`), packageOf(name, ['stable']));
  }
  await openFolder(page, dir);
  const items = list(page).getByRole('listitem');
  await expect(packageItem(page, 'p0000')).toBeVisible();
  expect(await items.count(), 'only those near the view are rendered').toBeLessThan(120);

  await packageItem(page, 'p0000').getByRole('button').focus();
  await page.keyboard.press('End');
  await expect(packageItem(page, 'p0999').getByRole('button')).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await expect(packageItem(page, 'p0998').getByRole('button')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(graphOf(page, 'p0998')).toBeVisible();
  await choosePackage(page, 'p0500');
  await page.getByRole('searchbox', { name: 'Search packages' }).fill('');
  expect(await items.count()).toBeLessThan(120);
  // Measured: 14 MB. The budget is independent of what is open.
  const usedMemory = await pageMemory(page);
  expect(usedMemory, 'the memory of the page with its program').toBeLessThan(60 << 20);
  expect(usedMemory, 'its program alone needs more').toBeGreaterThan(2 << 20);
});
