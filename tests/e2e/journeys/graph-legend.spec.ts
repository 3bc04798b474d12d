// The picture itself: the legend, lanes arranged for the view, unsaved changes, the graph as a file.
import fs from 'node:fs';
import type { Page } from '@playwright/test';
import { accessible, apply, choosePackage, command, entry, expect, field, fixture, graph, openFolder, test } from '../harness';

const legend = (page: Page) => graph(page).getByRole('list', { name: 'Legend' }).getByRole('listitem');
const lanes = (page: Page) => graph(page).getByRole('button', { name: /^Channel / });
const lane = (page: Page, channel: string) => graph(page).getByRole('button', { name: new RegExp(`^Channel ${channel}(,|$)`) });

test('the legend explains what is drawn, and nothing else', async ({ page, violations }) => {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  await expect(legend(page).filter({ hasText: /^replaces$/ })).toBeVisible();
  await expect(legend(page).filter({ hasText: /^head$/ })).toBeVisible();
  await expect(legend(page).filter({ hasText: /^removed$/ })).toHaveCount(0);
  await accessible(page, 'legend');
  expect(violations).toEqual([]);
});

test('lanes are hidden and moved for the view alone', async ({ page }) => {
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

test('what is not saved is told on its node', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  await lane(page, 'stable').click();
  const form = await command(page, 'Add channel…');
  await field(form, 'Channel', 'fast');
  await apply(form);
  const added = entry(page, 'anchor-operator.v1.2.0', 'fast');
  await expect(added).toHaveAccessibleName(/unsaved change.*added/);
  await expect(graph(page).getByRole('list', { name: 'Legend' })).toContainText('added');
  await accessible(page, 'unsaved changes');
  await page.getByRole('button', { name: 'Undo' }).first().click();
  await expect(added).toHaveCount(0);
  await expect(graph(page).getByRole('list', { name: 'Legend' })).not.toContainText('added');
});

test('the graph leaves as a file', async ({ page, violations }) => {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  const opener = graph(page).getByRole('button', { name: 'Export…' });
  const taken = async (form: string) => {
    await opener.click();
    const download = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: form, exact: true }).click();
    const file = await download;
    return { name: file.suggestedFilename(), text: fs.readFileSync(await file.path(), 'utf8') };
  };
  const picture = await taken('Picture (SVG)');
  expect(picture.name).toBe('anchor-operator.svg');
  expect(picture.text).toContain('<title>Upgrade graph of anchor-operator</title>');
  expect((await taken('Mermaid')).text).toMatch(/^graph LR/);
  expect((await taken('Graphviz (DOT)')).text).toMatch(/^digraph/);
  expect(JSON.parse((await taken('JSON')).text).packages).toHaveLength(1);
  await opener.press('Enter');
  await expect(page.getByRole('menu', { name: 'Export the graph' })).toBeVisible();
  await accessible(page, 'export menu');
  await page.keyboard.press('Escape');
  await expect(opener).toBeFocused();
  expect(violations).toEqual([]);
});
