// The list of packages: orders, headings, filters, a thousand of them; and several packages open in tabs.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { accessible, choosePackage, entry, expect, fixture, graph, openFolder, packageItem, test } from '../harness';
import { pageMemory } from '../page_memory';

const side = (page: Page): Locator => page.getByRole('navigation', { name: 'Catalogs and packages' });
const list = (page: Page): Locator => page.getByRole('list', { name: 'Packages', exact: true });
const tabs = (page: Page): Locator => page.getByRole('tablist', { name: 'Open packages' });
const graphOf = (page: Page, name: string): Locator => page.getByRole('region', { name: `Upgrade graph of ${name}` });

const packageOf = (name: string, channels: string[]): string => [`schema: olm.package\nname: ${name}\ndefaultChannel: ${channels[0]}`,
  ...channels.map(channel => `schema: olm.channel\npackage: ${name}\nname: ${channel}\nentries:\n  - name: ${name}.v1.0.0`),
  `schema: olm.bundle\npackage: ${name}\nname: ${name}.v1.0.0\nimage: registry.example/${name}@sha256:0\nproperties:\n  - type: olm.package\n    value:\n      packageName: ${name}\n      version: 1.0.0\n`].join('\n---\n');

test('packages are ordered and narrowed', async ({ page }) => {
  test.slow();
  const dir = fixture('forked');
  fs.writeFileSync(path.join(dir, 'many.yaml'), packageOf('zz-many', Array.from({ length: 12 }, (_, number) => `c${number}`)));
  await openFolder(page, dir);
  const names = () => list(page).getByRole('listitem').evaluateAll(items => items.map(item => (item.getAttribute('aria-label') ?? '').split(',')[0]));
  await expect.poll(names).toEqual(['buoy-operator', 'winch-operator', 'zz-many']);

  const sort = side(page).getByLabel('Sort by');
  await sort.selectOption('channels');
  await expect.poll(async () => (await names())[0]).toBe('zz-many');
  await sort.selectOption('problems');
  await expect.poll(async () => (await names())[0]).toBe('winch-operator');
  await accessible(page, 'packages in an order');

  await openFolder(page, dir);
  await expect(sort, 'the order is kept').toHaveValue('problems');

  await page.getByRole('searchbox', { name: 'Search packages' }).fill('nothing is called so');
  await expect(side(page)).toContainText('No package matches.');
  await side(page).getByRole('button', { name: 'Show all packages' }).click();
  await expect(list(page).getByRole('listitem')).toHaveCount(3);
  await expect(page.getByRole('searchbox', { name: 'Search packages' })).toBeFocused();
});

test('a thousand packages', async ({ page }) => {
  test.slow();
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-thousand-'));
  for (let number = 0; number < 1000; number++) {
    const name = `p${String(number).padStart(4, '0')}`;
    fs.writeFileSync(path.join(dir, `${name}.yaml`), packageOf(name, ['stable']));
  }
  await openFolder(page, dir);
  const items = list(page).getByRole('listitem');
  await expect(packageItem(page, 'p0000')).toBeVisible();
  expect(await items.count(), 'only those near the view are in the page').toBeLessThan(120);

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
  // 14 MB; the budget, whatever is open.
  const held = await pageMemory(page);
  expect(held, 'what the page holds, its program with it').toBeLessThan(60 << 20);
  expect(held, 'its program alone has more').toBeGreaterThan(2 << 20);
});

test('several packages are open in tabs, each as it was left', async ({ page, violations }) => {
  test.slow();
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  await page.getByRole('searchbox', { name: 'Search packages' }).fill('');
  await expect(tabs(page)).toBeHidden();
  await entry(page, 'anchor-operator.v1.1.0', 'stable').click();
  await expect(entry(page, 'anchor-operator.v1.1.0', 'stable')).toHaveAttribute('aria-pressed', 'true');

  const other = (await list(page).getByRole('listitem').evaluateAll(items => items.map(item => (item.getAttribute('aria-label') ?? '').split(',')[0])))
    .find(name => name !== 'anchor-operator') ?? '';
  expect(other, 'a second package in the fixture').not.toBe('');
  await packageItem(page, other).getByRole('button').click({ modifiers: ['ControlOrMeta'] });
  await expect(graphOf(page, other)).toBeVisible();
  await expect(tabs(page).getByRole('tab')).toHaveText([/anchor-operator/, new RegExp(other)]);
  await expect(tabs(page).getByRole('tab', { name: other })).toHaveAttribute('aria-selected', 'true');
  await page.getByRole('tab', { name: 'Table' }).click();
  await accessible(page, 'two packages in tabs');

  await tabs(page).getByRole('tab', { name: 'anchor-operator' }).click();
  await expect(graphOf(page, 'anchor-operator'), 'the graph, not the table').toBeVisible();
  await expect(entry(page, 'anchor-operator.v1.1.0', 'stable')).toHaveAttribute('aria-pressed', 'true');

  await test.step('a press of the middle button closes', async () => {
    await tabs(page).getByRole('tab', { name: other }).click({ button: 'middle' });
    await expect(tabs(page)).toBeHidden();
    await expect(graphOf(page, 'anchor-operator')).toBeVisible();
  });
  await test.step('from the menu of a package, the tab keeps what it showed', async () => {
    await packageItem(page, other).getByRole('button').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Open in a new tab' }).click();
    await expect(tabs(page).getByRole('tab')).toHaveText([/anchor-operator/, new RegExp(other)]);
    await expect(graphOf(page, other)).toBeVisible();
    await page.keyboard.press('k');
    await expect(graphOf(page, 'anchor-operator')).toBeVisible();
  });
  expect(violations).toEqual([]);
});

test('tabs by keyboard alone', async ({ page }) => {
  test.slow();
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  await page.getByRole('searchbox', { name: 'Search packages' }).fill('');
  await packageItem(page, 'anchor-operator').getByRole('button').focus();
  await page.keyboard.press('ArrowDown');
  const other = await page.evaluate(() => document.activeElement?.getAttribute('data-package') ?? '');
  await page.keyboard.press('ControlOrMeta+Enter');
  await expect(graphOf(page, other)).toBeVisible();
  const tab = (name: string) => tabs(page).getByRole('tab', { name });
  await tab(other).focus();
  await page.keyboard.press('ArrowLeft');
  await expect(tab('anchor-operator')).toBeFocused();
  await expect(graphOf(page, 'anchor-operator')).toBeVisible();
  await page.keyboard.press('Delete');
  await expect(tabs(page)).toBeHidden();
  await expect(graphOf(page, other)).toBeVisible();
  await expect(page.locator('.centre :focus'), 'the focus is not lost').toHaveCount(1);
  await expect(graph(page)).toHaveCount(1);
  await page.keyboard.press('a');
  await expect(tabs(page).getByRole('tab')).toHaveCount(2);
  await page.keyboard.press('Shift+A');
  await expect(tabs(page)).toBeHidden();
});
