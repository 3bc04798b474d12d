// Accessibility of the graph and the workbench: edges followed by keys and announced, touch, and a complete task by
// keyboard.
import { catalogOf, inAChain } from '../catalogs';
import { PASSES, accessible, choosePackage, entry, expect, graph, openFolder, test, useLetterKeys, verdict } from '../harness';
import type { Locator, Page } from '@playwright/test';
import fs from 'node:fs';
import path from 'node:path';

type Point = { x: number; y: number };

const bundle = (version: string) => `ferry-operator.v${version}`;

/// `stable`: 1.1.0 is replaced by 1.2.0 and by 1.3.0, which skips 1.2.0 and a range. `fast`: 1.3.0 and 1.4.0.
function ferry(): string {
  return catalogOf('pier', 'ferry-operator', 'quay.io/pier/ferry-bundle', {
    stable: [
      ...inAChain(['1.0.0', '1.1.0', '1.2.0']),
      { version: '1.3.0', replaces: '1.1.0', skips: ['1.2.0'], skipRange: '>=1.0.0 <1.3.0' },
    ],
    fast: inAChain(['1.3.0', '1.4.0']),
  });
}

/// A package with a long chain of patches in one channel, and its newest entry in another.
function fleet(length = 40): string {
  const patches = Array.from({ length }, (_, patch) => `1.0.${patch}`);
  return catalogOf('fleet', 'fleet-operator', 'quay.io/fleet/bundle', { stable: inAChain(patches), fast: inAChain(patches.slice(-1)) });
}

/// Opens the fleet unfolded, at its newest end.
async function openFleet(page: Page): Promise<void> {
  test.slow();
  await openFolder(page, fleet());
  await choosePackage(page, 'fleet-operator');
  await expect(entry(page, 'fleet-operator.v1.0.20', 'stable')).toHaveCount(1);
  // The lane is longer than the view.
  const newest = entry(page, 'fleet-operator.v1.0.39', 'stable');
  await newest.focus();
  await page.keyboard.press('End');
  await expect(newest.locator('.node-box')).toBeInViewport();
}

/// The ferry among more packages than fit the list; the last one has a problem.
function harborAndMany(): string {
  const dir = ferry();
  const small = (name: string, listed: string) => `---
schema: olm.package
name: ${name}
defaultChannel: stable
---
schema: olm.channel
package: ${name}
name: stable
entries:
  - name: ${listed}
---
schema: olm.bundle
package: ${name}
name: ${name}.v1.0.0
image: quay.io/pier/${name}:v1.0.0
properties:
  - type: olm.package
    value: {packageName: ${name}, version: 1.0.0}
`;
  const names = Array.from({ length: 40 }, (_, index) => `operator-${String(index).padStart(2, '0')}`);
  for (const name of [...names, 'zz-operator']) {
    fs.mkdirSync(path.join(dir, name));
    fs.writeFileSync(path.join(dir, name, 'catalog.yaml'), small(name, name === 'zz-operator' ? 'zz-operator.v9' : `${name}.v1.0.0`));
  }
  return dir;
}

async function open(page: Page): Promise<void> {
  // With a debug build and accessibility scans this takes long.
  test.slow();
  await openFolder(page, ferry());
  await choosePackage(page, 'ferry-operator');
  await expect(entry(page, bundle('1.3.0'), 'stable')).toBeVisible();
}

test('brackets follow edges and announce them', async ({ page, violations }) => {
  await open(page);
  const announcement = page.getByRole('status', { name: 'What happened' });
  const node = (version: string) => entry(page, bundle(version), 'stable');
  const follow = async (key: string, version: string, words: string) => {
    await page.keyboard.press(key);
    await expect(node(version)).toBeFocused();
    await expect(announcement).toHaveText(words);
  };
  await expect(graph(page)).toHaveAccessibleDescription(/Brackets follow edges/);

  await test.step('along the chain', async () => {
    await node('1.0.0').focus();
    await follow(']', '1.1.0', '1.0.0, replaced by 1.1.0');
    await follow('[', '1.0.0', '1.1.0, replaces 1.0.0');
    await follow('[', '1.0.0', '1.0.0 replaces nothing here');
  });

  await test.step('around, if there are several; arrows continue along the lane', async () => {
    await page.keyboard.press('ArrowRight');
    await expect(node('1.1.0')).toBeFocused();
    await follow(']', '1.2.0', '1.1.0, replaced by 1.2.0, 1 of 2');
    await follow(']', '1.3.0', '1.1.0, replaced by 1.3.0, 2 of 2');
    await follow(']', '1.2.0', '1.1.0, replaced by 1.2.0, 1 of 2');
    await page.keyboard.press('Escape');
    await expect(announcement).toHaveText('back at 1.1.0');
    await expect(node('1.1.0')).toBeFocused();
  });

  await test.step('along skips and skip ranges', async () => {
    await page.keyboard.press('End');
    await expect(node('1.3.0')).toBeFocused();
    await follow('{', '1.2.0', '1.3.0, skips 1.2.0, 1 of 3');
    await follow('{', '1.1.0', '1.3.0, skips 1.1.0 by its range, 2 of 3');
    await follow('{', '1.0.0', '1.3.0, skips 1.0.0 by its range, 3 of 3');
    await follow('}', '1.3.0', '1.0.0, skipped by the range of 1.3.0');
  });

  await test.step('Enter opens, Space adds to the selection', async () => {
    await page.keyboard.press('Enter');
    await expect(node('1.3.0')).toHaveAttribute('aria-pressed', 'true');
    await page.keyboard.press('Space');
    await expect(page.getByRole('status', { name: 'Selected' })).toHaveText('1 entry selected: 1 bundle in 1 channel');
    await page.keyboard.press('Space');
  });
  await accessible(page, 'a graph whose edges were followed');

  await test.step('an edit and its undo are announced once', async () => {
    const replaces = page.getByRole('region', { name: 'Edit in place' }).getByLabel('Replaces', { exact: true });
    await replaces.fill(bundle('1.2.0'));
    await replaces.press('Enter');
    await expect(announcement).toHaveText(/^Set replaces of ferry-operator\.v1\.3\.0 in stable/);
    await page.getByRole('region', { name: 'Last edit' }).getByRole('button', { name: 'Undo' }).press('Enter');
    await expect(announcement).toHaveText(/^Undone: Set replaces/);
    await expect(page.getByRole('log', { name: 'Messages' })).toBeEmpty();
  });

  await test.step('the help on keys lists them', async () => {
    await node('1.3.0').focus();
    await page.keyboard.press('?');
    const sheet = page.getByRole('dialog', { name: 'Keys' });
    await expect(sheet).toContainText('follow an edge: to what it replaces, to what replaces it');
    await expect(sheet).toContainText('While dragging in the graph');
    await accessible(page, 'the sheet of keys');
  });
  expect(violations).toEqual([]);
});

async function center(of: Locator): Promise<Point> {
  const box = await of.boundingBox();
  if (!box) throw new Error('not in view');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

test('the mouse finds the bars of skips and skip ranges', async ({ page }) => {
  await open(page);
  const card = page.getByRole('group', { name: 'Why', exact: true });
  const source = page.getByRole('tab', { name: 'Source' });
  const graphTab = page.getByRole('tab', { name: 'Graph' });
  const bars = [
    { of: graph(page).locator('.bracket .edge-hit'), says: /skipRange >=1\.0\.0 <1\.3\.0 of 1\.3\.0 in stable, line \d+/ },
    { of: graph(page).locator('.run .edge-hit'), says: /1\.3\.0 skips 1\.2\.0 in stable, line \d+/ },
  ];
  for (const { of, says } of bars) {
    // A third along the path: the center of a bent line's box is not on the line.
    const at = await of.evaluate(element => {
      const path = element as SVGPathElement;
      const { x, y } = path.getPointAtLength(path.getTotalLength() / 3).matrixTransform(path.getScreenCTM() ?? undefined);
      return { x, y };
    });
    await page.mouse.move(at.x, at.y, { steps: 3 });
    await expect(card).toHaveText(says);
    await page.mouse.down();
    await page.mouse.up();
    await expect(source).toHaveAttribute('aria-selected', 'true');
    await graphTab.click();
    await expect(entry(page, bundle('1.3.0'), 'stable')).toBeVisible();
  }
});

test('dragging near an edge moves the view', async ({ page }) => {
  await openFleet(page);
  const newest = entry(page, 'fleet-operator.v1.0.39', 'stable').locator('.node-box');
  const area = await graph(page).locator('.graph-area').boundingBox();
  if (!area) throw new Error('the graph is not in view');
  const node = await center(newest);
  await page.mouse.move(node.x, node.y);
  await page.mouse.down();
  await page.mouse.move(area.x + 300, node.y, { steps: 4 });
  await page.mouse.move(area.x + 150, node.y, { steps: 4 });
  const oldest = entry(page, 'fleet-operator.v1.0.0', 'stable').locator('.node-box');
  await expect.poll(async () => (await oldest.boundingBox())?.x ?? -1, { timeout: 45_000 }).toBeGreaterThan(area.x);
  await page.keyboard.press('Escape');
  await page.mouse.up();
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test.describe('by touch', () => {
  test.use({ touch: true });

  test('a finger pans and selects, a long press opens the menu', async ({ page }) => {
    await openFleet(page);
    const node = (patch: number) => entry(page, `fleet-operator.v1.0.${patch}`, 'stable');
    const client = await page.context().newCDPSession(page);
    type Touch = ['touchStart' | 'touchMove' | 'touchEnd', ...Point[]];
    // Sent without waiting in between: a pause would count as a long press.
    const touch = (...steps: Touch[]) => Promise.all(steps.map(([type, ...at]) =>
      client.send('Input.dispatchTouchEvent', { type, touchPoints: at.map(({ x, y }, id) => ({ x, y, id })) })));
    const box = (patch: number) => node(patch).locator('.node-box').boundingBox();
    const at = await center(node(36).locator('.node-box'));
    // Below the nodes of the last lane.
    const ground = { x: at.x, y: at.y + 90 };

    await test.step('a tap selects', async () => {
      await touch(['touchStart', at], ['touchEnd']);
      await expect(node(36)).toHaveAttribute('aria-pressed', 'true');
    });

    await test.step('a finger pans', async () => {
      const before = (await box(36))?.x ?? 0;
      const moves = [20, 60, 120, 200].map((dx): Touch => ['touchMove', { x: ground.x + dx, y: ground.y }]);
      await touch(['touchStart', ground], ...moves, ['touchEnd']);
      await expect.poll(async () => (await box(36))?.x ?? 0).toBeCloseTo(before + 200, 0);
    });

    await test.step('a long press opens the menu', async () => {
      await touch(['touchStart', await center(node(33).locator('.node-box'))]);
      await expect(page.getByRole('menu', { name: 'fleet-operator.v1.0.33 in stable' })).toBeVisible();
      await touch(['touchEnd']);
      await page.keyboard.press('Escape');
      await expect(page.getByRole('menu')).toHaveCount(0);
    });
  });
});

test('the list of packages follows the view', async ({ page }) => {
  test.slow();
  await page.setViewportSize({ width: 1440, height: 620 });
  await openFolder(page, harborAndMany());
  await choosePackage(page, 'ferry-operator');
  await page.getByRole('searchbox', { name: 'Search packages' }).fill('');

  await test.step('the next problem brings its package into view in the list', async () => {
    const item = page.getByRole('list', { name: 'Packages' }).getByRole('listitem', { name: /^zz-operator,/ });
    await expect(item).not.toBeInViewport();
    await page.keyboard.press('F8');
    await expect(graph(page)).toHaveAccessibleName('Upgrade graph of zz-operator');
    await expect(item).toBeInViewport();
  });
});

test('a long table keeps the focus while it is scrolled', async ({ page }) => {
  test.slow();
  await openFolder(page, fleet(200));
  await choosePackage(page, 'fleet-operator');
  await page.getByRole('tab', { name: 'Table' }).click();
  const table = page.getByRole('grid', { name: 'Entries of fleet-operator' });
  const scroller = page.locator('.table-scroll');
  const cell = (row: number) => table.locator(`[id="cell-${row}-2"]`);
  await cell(1).focus();
  await page.keyboard.press('ArrowDown');
  await expect(cell(2)).toBeFocused();
  await scroller.evaluate(element => { element.scrollTop = 4000; });
  await expect(cell(2)).toHaveCount(0);
  await expect(table).toBeFocused();
  expect(await scroller.evaluate(element => element.scrollTop)).toBeGreaterThan(3000);

  await test.step('scrolled back into view, the cell has the focus again', async () => {
    await scroller.evaluate(element => { element.scrollTop = 0; });
    await expect(cell(2)).toBeFocused();
  });

  await test.step('a key continues from that cell', async () => {
    await scroller.evaluate(element => { element.scrollTop = 4000; });
    await expect(table).toBeFocused();
    await page.keyboard.press('ArrowDown');
    await expect(cell(3)).toBeFocused();
  });
});

/// Presses Tab until the target has the focus.
async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible();
  for (let stops = 0; stops < 120; stops += 1) {
    if (await target.evaluate(element => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  await expect(target).toBeFocused();
}

test('find, promote, see why, fix, review and download by keyboard alone', async ({ page, violations }) => {
  await useLetterKeys(page);
  test.slow();
  await openFolder(page, ferry());
  const keys = page.keyboard;
  const node = (version: string, channel: string) => entry(page, bundle(version), channel);

  await test.step('find the package', async () => {
    await keys.press('ControlOrMeta+/');
    await expect(page.getByRole('searchbox', { name: 'Search packages' })).toBeFocused();
    await keys.type('ferry');
    await keys.press('Enter');
    await expect(graph(page)).toHaveAccessibleName('Upgrade graph of ferry-operator');
  });

  await test.step('go to the bundle', async () => {
    await tabTo(page, node('1.3.0', 'stable'));
    await keys.press('ArrowDown');
    await expect(node('1.3.0', 'fast')).toBeFocused();
    await keys.press(']');
    await expect(node('1.4.0', 'fast')).toBeFocused();
    await keys.press('Enter');
    await expect(node('1.4.0', 'fast')).toHaveAttribute('aria-pressed', 'true');
  });

  await test.step('promote it so that validation fails', async () => {
    await keys.press('p');
    const form = page.getByRole('dialog', { name: /^Promote bundle/ });
    await expect(form.getByLabel('Bundle', { exact: true })).toHaveValue(bundle('1.4.0'));
    await tabTo(page, form.getByLabel('To channel', { exact: true }));
    await keys.press('ControlOrMeta+a');
    await keys.type('stable');
    await keys.press('Tab');
    await tabTo(page, form.getByLabel('Replaces', { exact: true }));
    await keys.press('ControlOrMeta+a');
    await keys.type(bundle('1.1.0'));
    await keys.press('Tab');
    await expect(form.getByRole('region', { name: 'Preview' })).toContainText(`replaces: ${bundle('1.1.0')}`);
    await tabTo(page, form.getByRole('button', { name: 'Apply' }));
    await keys.press('Enter');
    await expect(form).toBeHidden();
    await expect(verdict(page)).toHaveText(/^Fails opm validate/);
  });

  await test.step('see why', async () => {
    await keys.press('F8');
    await expect(page.getByRole('region', { name: 'Problems' })).toContainText('Why');
  });

  await test.step('fix it', async () => {
    await tabTo(page, page.getByRole('region', { name: 'Problems' }).getByRole('button', { name: /^Apply: / }).first());
    await keys.press('Enter');
    await expect(verdict(page)).toHaveText(PASSES);
  });

  await test.step('review and download', async () => {
    await keys.press('ControlOrMeta+k');
    await expect(page.getByRole('dialog', { name: 'Command palette' }).getByRole('combobox')).toBeFocused();
    await keys.type('Review and save');
    await expect(page.getByRole('option', { name: /^Review and save/ }).first()).toHaveAttribute('aria-selected', 'true');
    await keys.press('Enter');
    const review = page.getByRole('dialog', { name: 'Review changes' });
    await expect(review).toContainText(bundle('1.4.0'));
    await tabTo(page, review.getByRole('button', { name: 'More ways to save' }));
    await keys.press('Enter');
    await keys.press('ArrowDown');
    await expect(review.getByRole('menuitem', { name: 'Download changed files' })).toBeFocused();
    const download = page.waitForEvent('download');
    await keys.press('Enter');
    expect((await download).suggestedFilename()).toMatch(/\.(zip|yaml)$/);
  });
  expect(violations).toEqual([]);
});
