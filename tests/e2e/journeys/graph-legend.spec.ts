// The graph as a picture: the legend, lanes arranged for the view, unsaved changes, and exports.
import fs from 'node:fs';
import type { Page } from '@playwright/test';
import { accessible, apply, choosePackage, command, entry, expect, field, fixture, graph, openFolder, test } from '../harness';

const lanes = (page: Page) => graph(page).getByRole('button', { name: /^Channel / });
const lane = (page: Page, channel: string) => graph(page).getByRole('button', { name: new RegExp(`^Channel ${channel}(,|$)`) });

test('the legend explains every mark beside the graph', async ({ page, violations }) => {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  const opener = graph(page).getByRole('button', { name: 'Legend' });
  await opener.click();
  const legend = page.getByRole('dialog', { name: 'Legend of the graph' });
  const rows = legend.getByRole('list', { name: 'Legend' }).getByRole('listitem');
  await expect(rows.filter({ hasText: /^replaces: / })).toBeVisible();
  await expect(rows.filter({ hasText: 'no bundle: it is listed' })).toHaveCount(1);
  const grip = rows.filter({ hasText: 'grip: drag it to what the entry replaces' });
  await grip.scrollIntoViewIfNeeded();
  await expect(grip.locator('.grip-dot')).toBeVisible();
  await accessible(page, 'legend');
  for (const width of [1280, 1440]) {
    await page.setViewportSize({ width, height: 720 });
    const [box, heading] = [await legend.boundingBox(), await lanes(page).first().boundingBox()];
    expect(box && heading && heading.x + heading.width <= box.x, `the legend is beside the lane headings at ${width}`).toBe(true);
  }

  // Each example has the style of the graph.
  const style = (box: ReturnType<Page['locator']>) => box.evaluate(element => {
    const { stroke, strokeWidth, strokeDasharray } = getComputedStyle(element);
    return { stroke, strokeWidth, strokeDasharray };
  });
  const head = await style(entry(page, 'anchor-operator.v1.2.0', 'stable').locator('.node-box'));
  expect(await style(rows.filter({ hasText: 'head: no entry' }).locator('.node-box'))).toEqual(head);

  await opener.press('Escape');
  await expect(rows).toHaveCount(0);
  await expect(opener).toBeFocused();
  expect(violations).toEqual([]);
});

test('hiding and moving lanes affects only the view', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  await expect(lanes(page).first()).toHaveAccessibleName(/^Channel stable/);

  await test.step('by keys on the heading', async () => {
    await lane(page, 'candidate').focus();
    await page.keyboard.press('Alt+Home');
    await expect(lanes(page).first()).toHaveAccessibleName(/^Channel candidate/);
    await lane(page, 'stable').press('Alt+ArrowUp');
    await expect(lanes(page).first()).toHaveAccessibleName(/^Channel stable/);
  });

  await test.step('by the control of the toolbar', async () => {
    const opener = graph(page).getByRole('button', { name: /^Channels/ });
    await opener.click();
    const sheet = page.getByRole('dialog', { name: 'Channels in view' });
    await sheet.getByRole('checkbox', { name: 'candidate' }).uncheck();
    await expect(lane(page, 'candidate')).toHaveCount(0);
    await expect(opener).toHaveAccessibleName('Channels, 1 hidden');
    await accessible(page, 'channels');
    await sheet.getByRole('checkbox', { name: 'candidate' }).check();
    const handle = (channel: string) => sheet.getByRole('button', { name: new RegExp(`^Move ${channel},`) });
    await handle('candidate').press('ArrowUp');
    await expect(lanes(page).first()).toHaveAccessibleName(/^Channel candidate/);
    await expect(handle('candidate')).toBeFocused();
    await expect(handle('candidate')).toHaveAccessibleName('Move candidate, 1 of 2');
    await handle('candidate').press('ArrowDown');
    await expect(lanes(page).first()).toHaveAccessibleName(/^Channel stable/);
    await handle('candidate').dragTo(sheet.getByRole('checkbox', { name: 'stable' }), { targetPosition: { x: 4, y: 1 } });
    await expect(lanes(page).first()).toHaveAccessibleName(/^Channel candidate/);
    await sheet.getByRole('button', { name: 'Reset' }).click();
    await expect(lane(page, 'candidate')).toBeVisible();
    await sheet.getByLabel('Only those with').fill('CAND');
    await expect(lane(page, 'stable')).toHaveCount(0);
    await sheet.getByLabel('Only those with').fill('');
    await expect(lane(page, 'stable')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(sheet).toBeHidden();
    await expect(opener).toBeFocused();
  });

  await test.step('by the menu of a lane', async () => {
    await lane(page, 'candidate').click({ button: 'right' });
    await page.getByRole('menuitem', { name: /^Hide the lane/ }).click();
    await expect(lane(page, 'candidate')).toHaveCount(0);
  });
});

test('a node shows its unsaved change', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  await lane(page, 'stable').click();
  const form = await command(page, 'Add channel…');
  await field(form, 'Channel', 'fast');
  await apply(form);
  const added = entry(page, 'anchor-operator.v1.2.0', 'fast');
  await expect(added).toHaveAccessibleName(/unsaved change.*added/);
  await accessible(page, 'unsaved changes');
  await page.getByRole('button', { name: 'Undo' }).first().click();
  await expect(added).toHaveCount(0);
});

test('the graph is exported as a file', async ({ page, violations }) => {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  const opener = graph(page).getByRole('button', { name: 'Export…' });
  const exportGraph = async (form: string) => {
    await opener.click();
    const download = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: form, exact: true }).click();
    const file = await download;
    return { name: file.suggestedFilename(), text: fs.readFileSync(await file.path(), 'utf8') };
  };
  const picture = await exportGraph('Picture (SVG)');
  expect(picture.name).toBe('anchor-operator.svg');
  expect(picture.text).toContain('<title>Upgrade graph of anchor-operator</title>');
  expect((await exportGraph('Mermaid')).text).toMatch(/^graph LR/);
  expect((await exportGraph('Graphviz (DOT)')).text).toMatch(/^digraph/);
  expect(JSON.parse((await exportGraph('JSON')).text).packages).toHaveLength(1);
  await opener.press('Enter');
  await expect(page.getByRole('menu', { name: 'Export the graph' })).toBeVisible();
  await accessible(page, 'export menu');
  await page.keyboard.press('Escape');
  await expect(opener).toBeFocused();
  expect(violations).toEqual([]);
});
