// The stability of the page during changes: the view, the focus, the order of lanes, and rendered elements.
import type { Locator, Page } from '@playwright/test';
import fs from 'node:fs';
import path from 'node:path';
import { catalogOf, inAChain, packageText } from '../catalogs';
import { test, expect, apply, choosePackage, command, entry, field, fixture, graph, openFolder, packageItem } from '../harness';

const LAST = 39;
const name = (minor: number): string => `rope.v1.${minor}.0`;

/// A package of one channel with forty versions.
function rope(): string {
  const versions = Array.from({ length: LAST + 1 }, (_, minor) => `1.${minor}.0`);
  return catalogOf('ropes', 'rope', 'quay.io/ropes/rope', { stable: inAChain(versions) });
}

test('a drag released outside the graph has ended', async ({ page }) => {
  test.slow();
  await openFolder(page, rope());
  await choosePackage(page, 'rope');
  const area = await graph(page).locator('.graph-area').boundingBox();
  if (!area) throw new Error('the graph is not visible');
  const [x, lower] = [area.x + area.width / 2, area.y + area.height];
  const node = entry(page, name(3), 'stable');
  const at = async (): Promise<number | undefined> => (await node.boundingBox())?.x;

  await page.mouse.move(x, lower - 2);
  await page.mouse.down();
  // One jump: the graph receives neither the movement nor the release.
  await page.mouse.move(x, lower + 30);
  await page.mouse.up();
  const before = await at();
  await page.mouse.move(x + 40, lower - 60);
  await page.mouse.move(x - 160, lower - 60);
  expect(await at()).toBe(before);
  await expect(graph(page).locator('.graph-area-dragging')).toHaveCount(0);

  await page.mouse.down();
  await page.mouse.move(x - 100, lower - 60);
  await page.mouse.move(x - 40, lower - 60);
  await page.mouse.up();
  await expect.poll(at, { message: 'a pressed pointer pans the view' }).not.toBe(before);
});

test('lanes keep their order after edits, and form buttons their place', async ({ page }) => {
  const versions = { stable: inAChain(['1.0.0']), beta: inAChain(['1.1.0', '1.2.0']), alpha: inAChain(['1.0.0', '1.1.0']) };
  await openFolder(page, catalogOf('ferries', 'ferry', 'quay.io/ferries/ferry', versions));
  await choosePackage(page, 'ferry');
  const lanes = graph(page).getByRole('button', { name: /^Channel / });
  const laneNames = async (): Promise<string[]> =>
    (await lanes.evaluateAll(all => all.map(lane => lane.getAttribute('aria-label') ?? ''))).map(name => name.split(',')[0] ?? '');
  const before = ['Channel stable', 'Channel beta', 'Channel alpha'];
  expect(await laneNames(), 'the default first, then by the newest head').toEqual(before);

  await test.step('promoting to `alpha` gives it the newest head but moves no lane', async () => {
    const form = await command(page, 'Promote bundle…');
    const button = form.getByRole('button', { name: 'Apply' });
    const empty = await button.boundingBox();
    await field(form, 'Bundle', 'ferry.v1.2.0');
    await field(form, 'To channel', 'alpha');
    await expect(form.getByRole('region', { name: 'Preview' })).toContainText('- name: ferry.v1.2.0');
    expect(await button.boundingBox()).toEqual(empty);
    await apply(form);
    const promoted = entry(page, 'ferry.v1.2.0', 'alpha');
    await expect(promoted).toHaveAccessibleName(/head/);
    await expect(promoted, 'it is selected').toHaveAttribute('aria-pressed', 'true');
    await expect(promoted).toBeInViewport({ ratio: 0.9 });
    expect(await laneNames()).toEqual(before);
  });
  await test.step('nor does another default channel, or undo', async () => {
    const form = await command(page, 'Set default channel…');
    await field(form, 'Channel', 'alpha');
    await apply(form);
    await expect(graph(page).getByRole('button', { name: /^Channel alpha, default channel/ })).toBeVisible();
    expect(await laneNames()).toEqual(before);
    await page.keyboard.press('ControlOrMeta+z');
    await expect(graph(page).getByRole('button', { name: /^Channel stable, default channel/ })).toBeVisible();
    expect(await laneNames()).toEqual(before);
  });
  await test.step('the user can still arrange lanes', async () => {
    await graph(page).getByRole('button', { name: /^Channel alpha,/ }).press('Alt+Home');
    await expect.poll(laneNames).toEqual(['Channel alpha', 'Channel stable', 'Channel beta']);
  });
});

test('an installed version is scrolled into view with the start of its path', async ({ page }) => {
  await openFolder(page, rope());
  await choosePackage(page, 'rope');
  const node = entry(page, name(3), 'stable');
  const area = await graph(page).locator('.graph-area').boundingBox();
  await expect.poll(async () => (await node.boundingBox())?.x, { message: 'left of the view' }).toBeLessThan(area?.x ?? 0);
  await page.getByRole('combobox', { name: 'Installed' }).fill('1.3.0');
  await page.keyboard.press('Enter');
  await expect(node).toHaveAccessibleName(/, installed$/);
  await expect(node).toBeInViewport({ ratio: 0.9 });
  await expect(entry(page, name(5), 'stable')).toBeInViewport({ ratio: 0.9 });
});

/// Counts added and removed nodes, attribute changes and text changes in `area` during `act`. A subtree that is added
/// or removed as a whole counts once.
async function changesIn(area: Locator, act: () => Promise<void>): Promise<{ changes: number; elements: number }> {
  const counter = await area.evaluateHandle(root => {
    const counts = { changes: 0, elements: root.querySelectorAll('*').length };
    new MutationObserver(records => {
      for (const record of records)
        counts.changes += record.type === 'childList' ? record.addedNodes.length + record.removedNodes.length : 1;
    }).observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
    return counts;
  });
  await act();
  return counter.evaluate(counted => counted);
}

/// Six channels of eight entries each.
function ferries(): string {
  const channels = Object.fromEntries(Array.from({ length: 6 }, (_, channel) =>
    [`stable-${channel}`, inAChain(Array.from({ length: 8 }, (_, minor) => `${channel}.${minor}.0`))]));
  return catalogOf('ferries', 'ferry', 'quay.io/ferries/ferry', channels);
}

test('all lanes stay in view in a lower window', async ({ page }) => {
  await openFolder(page, ferries());
  await choosePackage(page, 'ferry');
  const last = graph(page).getByRole('button', { name: /^Channel / }).last();
  await expect(last).toBeInViewport({ ratio: 0.9 });
  await page.setViewportSize({ width: 1440, height: 620 });
  await expect(last).toBeInViewport({ ratio: 0.9 });
});

async function rangeForm(page: Page): Promise<Locator> {
  const form = await command(page, 'Set skip range…');
  await field(form, 'Channel', 'stable-5');
  await field(form, 'Entry', 'ferry.v5.7.0');
  await field(form, 'Skip range', '>=5.0.0 <5.7.0');
  await expect(form.getByRole('region', { name: 'Preview' })).toBeVisible();
  return form;
}

test('an edit without layout changes updates only what shows it: parts of the graph, a row of the table, its package', async ({ page }) => {
  const dir = ferries();
  for (let at = 0; at < 20; at += 1) {
    const name = `raft-${at}`;
    fs.mkdirSync(path.join(dir, name));
    fs.writeFileSync(path.join(dir, name, 'catalog.yaml'), packageText(name, `quay.io/ferries/${name}`, { stable: inAChain(['1.0.0']) }));
  }
  await openFolder(page, dir);
  await choosePackage(page, 'ferry');

  await test.step('the graph', async () => {
    // The edited entry is visible, so that the view does not move.
    await entry(page, 'ferry.v5.7.0', 'stable-5').focus();
    await page.keyboard.press('End');
    await expect(entry(page, 'ferry.v5.7.0', 'stable-5')).toBeInViewport();
    const form = await rangeForm(page);
    const { changes, elements } = await changesIn(page.locator('.graph-area'), async () => {
      await apply(form);
      await expect(graph(page).locator('.bracket .edge-hit').first()).toBeAttached();
    });
    expect(elements, 'the graph has many elements').toBeGreaterThan(300);
    // Measured: 68; 2,266 if every element is redrawn.
    expect(changes, `of ${elements} elements`).toBeLessThanOrEqual(80);
    await page.keyboard.press('ControlOrMeta+z');
    await expect(packageItem(page, 'ferry')).not.toHaveAccessibleName(/edited/);
  });

  await test.step('the table', async () => {
    await page.getByRole('tab', { name: 'Table' }).click();
    const grid = page.getByRole('grid', { name: 'Entries of ferry' });
    await expect(grid.getByRole('row')).toHaveCount(49);
    const form = await rangeForm(page);
    const { changes } = await changesIn(page.locator('.table-panel'), async () => {
      await apply(form);
      await expect(grid).toContainText('>=5.0.0 <5.7.0');
    });
    // Measured: 2, the replaced row.
    expect(changes).toBeLessThanOrEqual(10);
    await page.keyboard.press('ControlOrMeta+z');
    await expect(packageItem(page, 'ferry')).not.toHaveAccessibleName(/edited/);
  });

  await test.step('the list of packages', async () => {
    await page.getByRole('searchbox', { name: 'Search packages' }).fill('');
    await expect(packageItem(page, 'raft-19')).toBeVisible();
    const form = await rangeForm(page);
    const { changes } = await changesIn(page.locator('[data-part="packages"]'), async () => {
      await apply(form);
      await expect(packageItem(page, 'ferry')).toHaveAccessibleName(/edited/);
    });
    // Measured: 5, the replaced row and a new filter for edited packages.
    expect(changes).toBeLessThanOrEqual(12);
  });
});

test('an edit updates only the solved problem in the list of problems', async ({ page }) => {
  const forked = [{ version: '1.0.0' }, { version: '1.1.0', replaces: '1.0.0' }, { version: '1.2.0', replaces: '1.0.0' }];
  const channels = Object.fromEntries(Array.from({ length: 12 }, (_, channel) => [`stable-${channel}`, forked]));
  await openFolder(page, catalogOf('ferries', 'ferry', 'quay.io/ferries/ferry', channels));
  await choosePackage(page, 'ferry');
  const problems = page.getByRole('region', { name: 'Problems' });
  const solvedProblem = problems.getByRole('listitem').filter({ hasText: 'stable-11' });
  await expect(solvedProblem.first()).toBeAttached();
  const form = await command(page, 'Add skip…');
  await field(form, 'Channel', 'stable-11');
  await field(form, 'Entry', 'ferry.v1.2.0');
  await field(form, 'Skip', 'ferry.v1.1.0');
  await expect(form.getByRole('region', { name: 'Preview' })).toBeVisible();
  const { changes, elements } = await changesIn(problems, async () => {
    await apply(form);
    await expect(solvedProblem).toHaveCount(0);
  });
  expect(elements).toBeGreaterThan(100);
  // Measured: 5, the removed row and four counts. Renumbering the rows below would change two attributes each.
  expect(changes, `of ${elements} elements`).toBeLessThanOrEqual(30);
});

test('a form keeps typed text and caret while its surroundings are redrawn', async ({ page }) => {
  await openFolder(page, ferries());
  await choosePackage(page, 'ferry');
  const form = await command(page, 'Set skip range…');
  await field(form, 'Channel', 'stable-5');
  await field(form, 'Entry', 'ferry.v5.7.0');
  const range = form.getByLabel('Skip range', { exact: true });
  await range.fill('>=5.0.0 <5.7.0');
  await range.evaluate((input: HTMLInputElement) => { input.setSelectionRange(3, 3); });
  // The preview, the consequences and the hints below the field appear while it has the focus.
  await page.keyboard.type('1');
  await expect(form.getByRole('region', { name: 'Preview' })).toContainText('>=51.0.0 <5.7.0');
  await page.keyboard.press('Backspace');
  await expect(form.getByRole('region', { name: 'Preview' })).toContainText('>=5.0.0 <5.7.0');
  await page.keyboard.type('0');
  await expect(range).toHaveValue('>=50.0.0 <5.7.0');
});

test('a form keeps its fields and buttons in a narrow window', async ({ page }) => {
  await openFolder(page, catalogOf('ferries', 'ferry', 'quay.io/ferries/ferry', { stable: inAChain(['1.0.0', '1.1.0']), fast: inAChain(['1.0.0', '1.1.0', '1.2.0']) }));
  await choosePackage(page, 'ferry');
  for (const [width, height] of [[360, 740], [720, 450]] as const) {
    await page.setViewportSize({ width, height });
    const form = await command(page, 'Promote bundle…');
    const [bundle, button] = [form.getByLabel('Bundle', { exact: true }), form.getByRole('button', { name: 'Apply' })];
    const before = await bundle.boundingBox();
    await field(form, 'Bundle', 'ferry.v1.2.0');
    await field(form, 'To channel', 'stable');
    await expect(form.getByRole('region', { name: 'Preview' })).toContainText('- name: ferry.v1.2.0');
    await expect(button).toBeInViewport({ ratio: 1 });
    await bundle.scrollIntoViewIfNeeded();
    await expect(bundle).toBeInViewport({ ratio: 1 });
    expect((await bundle.boundingBox())?.height).toBe(before?.height);
    await form.getByText('Consequences, compared with before this edit', { exact: true }).scrollIntoViewIfNeeded();
    await expect(form.getByText('Consequences, compared with before this edit', { exact: true })).toBeInViewport({ ratio: 1 });
    await form.getByRole('button', { name: 'Cancel' }).click();
  }
});

test('the layout does not shift when package, lens or catalog change', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await openFolder(page, fixture('beacon'));
  await choosePackage(page, 'beacon-operator');
  /// The sum of all layout shifts during an action.
  const measureShift = async (act: () => Promise<void>): Promise<number> => {
    await page.evaluate(() => {
      const seen = { sum: 0 };
      Object.assign(window, { seen });
      new PerformanceObserver(list => {
        for (const entry of list.getEntries()) seen.sum += (entry as unknown as { value: number }).value;
      }).observe({ type: 'layout-shift', buffered: false });
    });
    await act();
    await page.waitForTimeout(600);
    return page.evaluate(() => (window as unknown as { seen: { sum: number } }).seen.sum);
  };
  const lens = page.getByRole('group', { name: 'Lens' });
  const catalogs = page.getByRole('list', { name: 'Catalogs' });
  await page.getByRole('searchbox', { name: 'Search packages' }).fill('');
  await expect(packageItem(page, 'lamp-operator')).toBeVisible();
  await page.waitForTimeout(600);
  const changes: [string, () => Promise<void>][] = [
    ['package', () => packageItem(page, 'lamp-operator').click()],
    ['lens', () => lens.getByText('OLM v1').click()],
    ['lens back', () => lens.getByText('Classic (v0)').click()],
    ['catalog', () => catalogs.getByRole('listitem', { name: /^v4\.20/ }).getByRole('button').first().click()],
  ];
  for (const [what, act] of changes) expect(await measureShift(act), what).toBeLessThanOrEqual(0.02);
});
