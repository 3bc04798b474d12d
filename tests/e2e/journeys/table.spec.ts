// The table: navigated as a grid, sorted, filtered, copied, with every operation of the graph.
import type { Locator, Page } from '@playwright/test';
import fs from 'node:fs';
import path from 'node:path';
import { PASSES, accessible, apply, choosePackage, corpus, expect, field, fixture, graph, openFolder, test, verdict } from '../harness';

const grid = (page: Page) => page.getByRole('grid', { name: /^Entries of / });
const row = (page: Page, name: string, channel: string): Locator =>
  grid(page).getByRole('row').filter({ has: page.getByRole('gridcell', { name: channel, exact: true }) }).filter({ has: page.getByRole('button', { name, exact: true }) });
const cell = (of: Locator, column: string): Locator => of.locator(`[data-column="${column}"]`);
const entries = (page: Page): Locator => grid(page).locator('[data-column="Entry"]');
const head = (page: Page, name: string): Locator => grid(page).getByRole('columnheader', { name, exact: true });

// Accessibility scans take long on a busy machine.
test.beforeEach(() => test.slow());

async function openTable(page: Page): Promise<void> {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  await page.getByRole('tab', { name: 'Table' }).click();
  await expect(grid(page)).toBeVisible();
}

test('the keyboard navigates the cells as a grid', async ({ page }) => {
  await openTable(page);
  const first = row(page, 'anchor-operator.v1.2.0', 'stable');
  await first.getByRole('button').focus();
  await page.keyboard.press('ArrowRight');
  await expect(cell(first, 'Version')).toBeFocused();
  await page.keyboard.press('End');
  await expect(cell(first, 'State')).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await expect(cell(first, 'State')).toBeFocused();
  await page.keyboard.press('Home');
  await expect(first.getByRole('checkbox')).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  await expect(cell(row(page, 'anchor-operator.v1.1.0', 'stable'), 'Channel')).toBeFocused();
  await page.keyboard.press('ControlOrMeta+End');
  const last = grid(page).getByRole('row').last();
  await expect(cell(last, 'State')).toBeFocused();
  await expect(last).toHaveAttribute('aria-rowindex', await grid(page).getAttribute('aria-rowcount') ?? '');
  await page.keyboard.press('ControlOrMeta+Home');
  await expect(first.getByRole('checkbox')).toBeFocused();
  await page.keyboard.press('PageDown');
  await expect(last.locator('[data-cell]').first()).toHaveAttribute('tabindex', '0');
  await page.keyboard.press('PageUp');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowRight');
  await expect(head(page, 'Channel').getByRole('button')).toBeFocused();
  // The grid is a single Tab stop that remembers its cell.
  await page.keyboard.press('Tab');
  await expect(head(page, 'Channel').getByRole('button')).not.toBeFocused();
  await page.keyboard.press('Shift+Tab');
  await expect(head(page, 'Channel').getByRole('button')).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(first).toHaveAttribute('aria-current', 'true');
  await expect(page.getByRole('complementary', { name: 'Inspector' })).toContainText('anchor-operator.v1.2.0');
  await accessible(page, 'the table');
});

test('rows are sorted by headers, and filtered by text and state', async ({ page }) => {
  await openTable(page);
  for (const name of ['Channel', 'Entry', 'Version', 'Replaces', 'Skips', 'Skip range', 'State']) await expect(head(page, name)).toBeVisible();

  await test.step('headers sort, by mouse and by keyboard', async () => {
    const initialOrder = await entries(page).allTextContents();
    await head(page, 'Version').getByRole('button').click();
    await expect(head(page, 'Version')).toHaveAttribute('aria-sort', 'ascending');
    await expect(entries(page).first()).toHaveText('anchor-operator.v1.0.0');
    await head(page, 'Version').getByRole('button').focus();
    await page.keyboard.press('Enter');
    await expect(head(page, 'Version')).toHaveAttribute('aria-sort', 'descending');
    await expect(entries(page).first()).toHaveText('anchor-operator.v1.3.0');
    await page.keyboard.press('Space');
    await expect(head(page, 'Version')).toHaveAttribute('aria-sort', 'none');
    expect(await entries(page).allTextContents()).toEqual(initialOrder);
  });

  await test.step('a text and a state filter', async () => {
    const all = await entries(page).count();
    const countLabel = page.locator('.table-count');
    await expect(countLabel).toHaveText(`${all} rows`);
    await page.getByRole('searchbox', { name: 'Filter entries' }).fill('stable 1.2');
    await expect(countLabel).toHaveText(`1 of ${all} rows`);
    await expect(entries(page)).toHaveText(['anchor-operator.v1.2.0']);
    await page.getByRole('searchbox', { name: 'Filter entries' }).fill('nothing is called so');
    await expect(grid(page).getByRole('row')).toHaveCount(1);
    await page.getByRole('button', { name: 'Show all' }).click();
    await expect(entries(page)).toHaveCount(all);
    const headFilter = page.getByRole('group', { name: 'Filter by state' }).getByRole('button', { name: /^head/ });
    await headFilter.focus();
    await page.keyboard.press('Space');
    await expect(headFilter).toHaveAttribute('aria-pressed', 'true');
    await expect(entries(page)).toHaveText(['anchor-operator.v1.2.0', 'anchor-operator.v1.3.0']);
  });
});

test('a cell opens the form that changes it', async ({ page }) => {
  await openTable(page);
  const history = page.getByRole('list', { name: 'History' });
  const editedRow = row(page, 'anchor-operator.v1.3.0', 'candidate');

  await test.step('by keyboard, and the focus returns', async () => {
    await editedRow.getByRole('button').focus();
    for (let n = 0; n < 3; n++) await page.keyboard.press('ArrowRight');
    await expect(cell(editedRow, 'Skips')).toBeFocused();
    await page.keyboard.press('Enter');
    const form = page.getByRole('dialog', { name: 'Add skip' });
    await field(form, 'Skip', 'anchor-operator.v1.1.0');
    await apply(form);
    await expect(cell(editedRow, 'Skips')).toHaveText('2 entries');
    await expect(cell(editedRow, 'Skips')).toHaveAttribute('title', 'anchor-operator.v1.2.1, anchor-operator.v1.1.0');
    await expect(cell(editedRow, 'Skips')).toBeFocused();
    await expect(history.getByRole('listitem')).toHaveCount(1);
    await expect(history).toContainText('Let anchor-operator.v1.3.0 in candidate skip anchor-operator.v1.1.0');
  });

  await test.step('by mouse, with one undo', async () => {
    const range = row(page, 'anchor-operator.v1.2.0', 'stable');
    await cell(range, 'Skip range').dblclick();
    const form = page.getByRole('dialog', { name: 'Set skip range' });
    await field(form, 'Skip range', '>=1.0.0 <1.1.5');
    await apply(form);
    await expect(cell(range, 'Skip range')).toHaveText('>=1.0.0 <1.1.5');
    await expect(verdict(page)).toHaveText(PASSES);
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await expect(cell(range, 'Skip range')).toHaveText('>=1.0.0 <1.2.0');
  });
});

test('values that come from an alias or a merge key are refused in the preview and stay', async ({ page }) => {
  const dir = fixture('harbor');
  const file = path.join(dir, 'anchor-operator/catalog.yaml');
  const text = fs.readFileSync(file, 'utf8');
  fs.writeFileSync(file, text
    .replace('  - name: anchor-operator.v1.2.0\n', '  - name: &before anchor-operator.v1.2.0\n')
    .replace('    replaces: anchor-operator.v1.1.0\n', '    <<: {replaces: anchor-operator.v1.1.0}\n')
    .replace('    replaces: anchor-operator.v1.2.0\n', '    replaces: *before\n'));
  await openFolder(page, dir);
  await choosePackage(page, 'anchor-operator');
  await page.getByRole('tab', { name: 'Table' }).click();
  const form = page.getByRole('dialog', { name: 'Set replaces' });
  for (const [name, value, message] of [
    ['anchor-operator.v1.3.0', '1.2.0', 'comes from an alias: it is written at &before'],
    ['anchor-operator.v1.2.0', '1.1.0', 'comes from a mapping merged with <<'],
  ] as const) {
    const edited = row(page, name, 'candidate');
    await cell(edited, 'Replaces').dblclick();
    await field(form, 'Replaces', 'anchor-operator.v1.0.0');
    await expect(form).toContainText(message);
    if (value === '1.2.0') await accessible(page, 'a refused cell');
    await form.getByRole('button', { name: 'Cancel' }).click();
    await expect(form).toBeHidden();
    await expect(cell(edited, 'Replaces')).toHaveText(value);
  }
  await expect(page.getByRole('list', { name: 'History' }).getByRole('listitem')).toHaveCount(0);
});

test('rows are copied, and their menu has every operation', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openTable(page);
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole('button', { name: 'Copy as TSV' }).click();
  await expect(page.getByText(/rows copied/).first()).toBeVisible();
  const lines = (await copied()).trimEnd().split('\n');
  expect(lines[0]).toBe('Channel\tEntry\tVersion\tReplaces\tSkips\tSkip range\tState');
  expect(lines).toHaveLength(await entries(page).count() + 1);
  await row(page, 'anchor-operator.v1.2.0', 'stable').getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Copy as TSV' }).click();
  await expect(page.getByText('1 row copied').first()).toBeVisible();
  expect(await copied()).toBe('Channel\tEntry\tVersion\tReplaces\tSkips\tSkip range\tState\n'
    + 'stable\tanchor-operator.v1.2.0\t1.2.0\tanchor-operator.v1.1.0\t\t>=1.0.0 <1.2.0\thead, default channel\n');
  await page.getByRole('button', { name: 'Clear selection' }).click();

  await cell(row(page, 'anchor-operator.v1.1.0', 'stable'), 'Version').click();
  await row(page, 'anchor-operator.v1.1.0', 'stable').getByRole('button').focus();
  await page.keyboard.press('Shift+F10');
  const menu = page.getByRole('menu', { name: 'anchor-operator.v1.1.0 in stable' });
  for (const name of ['Promote bundle…', 'Withdraw bundle…', 'Set replaces…', 'Add skip…', 'Set skip range…', 'Deprecate…', 'Remove entry…', 'Show in source'])
    await expect(menu.getByRole('menuitem', { name })).toBeVisible();
  await menu.getByRole('menuitem', { name: 'Remove entry…' }).press('Enter');
  await apply(page.getByRole('dialog', { name: /^Remove entry/ }));
  await expect(row(page, 'anchor-operator.v1.1.0', 'stable')).toHaveCount(0);
});

test('only visible rows are rendered, and the keyboard reaches all', async ({ page }) => {
  await openFolder(page, corpus('operatorhub'));
  await choosePackage(page, 'strimzi-kafka-operator');
  // The graph, too, mostly draws what is visible.
  const inView = await graph(page).locator('.graph-area').evaluate(area => {
    const frame = area.getBoundingClientRect();
    const share = (of: string): number => {
      const all = [...area.querySelectorAll(of)].map(one => one.getBoundingClientRect());
      const seen = all.filter(at => at.right > frame.left && at.left < frame.right && at.bottom > frame.top && at.top < frame.bottom);
      return seen.length / all.length;
    };
    return { nodes: share('.node'), links: share('.link') };
  });
  expect(Math.min(inView.nodes, inView.links), JSON.stringify(inView)).toBeGreaterThan(0.6);
  await page.getByRole('tab', { name: 'Table' }).click();
  const count = Number(await grid(page).getAttribute('aria-rowcount'));
  expect(count).toBeGreaterThan(700);
  expect(await entries(page).count()).toBeLessThan(40);
  const listed = page.getByRole('list', { name: 'Listed in' });
  await expect(listed.getByRole('button')).toHaveCount(6);
  await expect(listed.getByRole('button').first()).toHaveAccessibleName(/^★ stable\s*, default channel/);
  await page.getByText('20 more channels').press('Enter');
  await expect(page.getByRole('list', { name: 'Also listed in' }).getByRole('button')).toHaveCount(20);
  await entries(page).first().getByRole('button').focus();
  await page.keyboard.press('ControlOrMeta+End');
  const last = grid(page).locator(`[aria-rowindex="${count}"]`);
  await expect(cell(last, 'State')).toBeFocused();
  for (const key of ['ArrowUp', 'ArrowUp', 'PageUp', 'PageUp', 'ArrowDown']) await page.keyboard.press(key);
  await expect(cell(grid(page).getByRole('row'), 'State').and(page.locator(':focus'))).toHaveCount(1);
  await page.keyboard.press('ControlOrMeta+Home');
  await expect(grid(page).locator('[aria-rowindex="2"]').getByRole('checkbox')).toBeFocused();
});
