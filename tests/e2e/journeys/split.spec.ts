// Two graphs side by side: two packages, two channels of a package; what is done in one is seen in the other.
import fs from 'node:fs';
import path from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { accessible, apply, choosePackage, command, expect, field, fixture, openFolder, packageItem, test } from '../harness';

const ANCHOR = 'anchor-operator';
const BUOY = 'buoy-operator';

const left = (page: Page, name: string): Locator => page.getByRole('region', { name: `Upgrade graph of ${name}`, exact: true });
const right = (page: Page, name: string): Locator => page.getByRole('region', { name: `Upgrade graph of ${name}, at the right` });
const entryIn = (graph: Locator, name: string, channel: string): Locator =>
  graph.getByRole('button', { name: new RegExp(`^${name.replaceAll('.', '\\.')} in ${channel}(,|$)`) });
const inspector = (page: Page): Locator => page.getByRole('complementary', { name: 'Inspector' });
const tab = (page: Page, name: string): Locator => page.getByRole('tablist', { name: 'Open packages' }).getByRole('tab', { name: new RegExp(`^${name}`) });
const closes = (page: Page, name: string): Locator => page.getByRole('button', { name: `Close the graph of ${name}` });
const line = (page: Page): Locator => page.getByRole('separator', { name: 'Width of the graph on the right' });

async function openAnchor(page: Page): Promise<string> {
  const dir = fixture('harbor');
  await openFolder(page, dir);
  await choosePackage(page, ANCHOR);
  await page.getByRole('searchbox', { name: 'Search packages' }).fill('');
  return dir;
}

/// The second package beside the first, from its menu in the list.
async function buoyBeside(page: Page): Promise<void> {
  await packageItem(page, BUOY).getByRole('button').click({ button: 'right' });
  await page.getByRole('menuitem', { name: /^Open beside/ }).click();
  await expect(left(page, ANCHOR)).toBeVisible();
  await expect(entryIn(right(page, BUOY), 'buoy-operator.v0.2.0', 'alpha')).toBeVisible();
}

async function channelBeside(page: Page, channel: string): Promise<void> {
  await left(page, ANCHOR).getByRole('button', { name: new RegExp(`^Channel ${channel},`) }).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Show this channel beside' }).click();
  await expect(right(page, ANCHOR).getByRole('button', { name: new RegExp(`^Channel ${channel},`) })).toBeVisible();
}

test('two packages side by side; the page is about the one in focus', async ({ page, violations }) => {
  test.slow();
  await openAnchor(page);
  await buoyBeside(page);
  await expect(page, 'the address is of the one in focus').toHaveURL(/anchor-operator/);
  await accessible(page, 'two packages side by side');

  await entryIn(right(page, BUOY), 'buoy-operator.v0.1.0', 'alpha').click();
  await expect(inspector(page).getByRole('heading', { name: 'buoy-operator.v0.1.0' })).toBeVisible();
  await expect(entryIn(right(page, BUOY), 'buoy-operator.v0.1.0', 'alpha')).toHaveAttribute('aria-pressed', 'true');
  await expect(tab(page, BUOY)).toHaveAttribute('aria-selected', 'true');
  await expect(page).toHaveURL(/buoy-operator/);

  await entryIn(left(page, ANCHOR), 'anchor-operator.v1.1.0', 'stable').click();
  await expect(inspector(page).getByRole('heading', { name: 'anchor-operator.v1.1.0' })).toBeVisible();
  await expect(entryIn(right(page, BUOY), 'buoy-operator.v0.1.0', 'alpha'), 'each keeps what is selected').toHaveAttribute('aria-pressed', 'true');
  await tab(page, BUOY).click();
  await expect(inspector(page).getByRole('heading', { name: 'buoy-operator.v0.1.0' })).toBeVisible();
  await expect(left(page, ANCHOR), 'both stay where they are').toBeVisible();

  await test.step('the table is of the one in focus', async () => {
    await page.getByRole('tab', { name: 'Table' }).click();
    await expect(page.getByRole('grid').or(page.getByRole('table')).first()).toContainText('buoy-operator.v0.2.0');
    await page.getByRole('tab', { name: 'Graph' }).click();
    await expect(left(page, ANCHOR)).toBeVisible();
    await expect(right(page, BUOY)).toBeVisible();
  });

  await test.step('the line between them is dragged, and its place is kept', async () => {
    const width = async () => (await right(page, BUOY).boundingBox())?.width ?? 0;
    const before = await width();
    const box = await line(page).boundingBox();
    expect(box).not.toBeNull();
    const [x, y] = [box!.x + box!.width / 2, box!.y + box!.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 40, y, { steps: 4 });
    await page.mouse.move(x + 80, y, { steps: 4 });
    await page.mouse.up();
    await expect.poll(async () => Math.round(await width())).toBe(Math.round(before - 80));
    await closes(page, BUOY).click();
    await expect(right(page, BUOY)).toBeHidden();
    await expect(left(page, ANCHOR)).toBeVisible();
    await buoyBeside(page);
    expect(Math.round(await width())).toBe(Math.round(before - 80));
  });

  await test.step('the left one is closed: the other comes in its place', async () => {
    await closes(page, ANCHOR).click();
    await expect(left(page, BUOY)).toBeVisible();
    await expect(left(page, ANCHOR)).toBeHidden();
    await expect(page.getByRole('region', { name: /^Upgrade graph of / })).toHaveCount(1);
  });
  expect(violations).toEqual([]);
});

test('two channels of a package side by side; an edit is seen in both', async ({ page }) => {
  test.slow();
  await openAnchor(page);
  await channelBeside(page, 'candidate');
  await expect(right(page, ANCHOR).getByRole('button', { name: /^Channel stable,/ })).toHaveCount(0);
  await expect(left(page, ANCHOR).getByRole('button', { name: /^Channel stable,/ })).toBeVisible();
  await accessible(page, 'two channels side by side');

  const both = [left(page, ANCHOR), right(page, ANCHOR)].map(graph => entryIn(graph, 'anchor-operator.v1.3.0', 'candidate'));
  await test.step('an edit and its undo', async () => {
    const form = await command(page, 'Deprecate…');
    await form.getByRole('radio', { name: 'Versions' }).click();
    await field(form, 'Bundle', 'anchor-operator.v1.3.0');
    await field(form, 'Message', '1.3 is not ready yet');
    await apply(form);
    for (const seen of both) await expect(seen).toHaveAccessibleName(/deprecated/);
    await page.getByRole('button', { name: /^Undo/ }).first().click();
    for (const seen of both) await expect(seen).not.toHaveAccessibleName(/deprecated/);
  });

  await test.step('an edit that is made at the right', async () => {
    await entryIn(right(page, ANCHOR), 'anchor-operator.v1.3.0', 'candidate').click();
    const form = await command(page, 'Promote bundle…');
    await field(form, 'To channel', 'stable');
    await apply(form);
    await expect(entryIn(left(page, ANCHOR), 'anchor-operator.v1.3.0', 'stable')).toHaveAccessibleName(/added/);
    await expect(entryIn(left(page, ANCHOR), 'anchor-operator.v1.3.0', 'stable'), 'it comes into view').toBeInViewport();
    await expect(right(page, ANCHOR).getByRole('button', { name: /^Channel stable,/ }), 'how lanes are arranged is its own').toHaveCount(0);
  });

  await test.step('something removed is drawn as such in both', async () => {
    await entryIn(right(page, ANCHOR), 'anchor-operator.v1.3.0', 'candidate').click();
    const form = await command(page, 'Remove entry…');
    await apply(form);
    for (const seen of both) await expect(seen).toHaveAccessibleName(/removed/);
    await entryIn(left(page, ANCHOR), 'anchor-operator.v1.2.0', 'stable').click();
    for (const seen of both) await expect(seen).toHaveAccessibleName(/removed/);
  });

  await test.step('the second look goes with its half', async () => {
    await closes(page, ANCHOR).last().click();
    await expect(right(page, ANCHOR)).toBeHidden();
    await expect(page.getByRole('tablist', { name: 'Open packages' })).toBeHidden();
  });
});

test('two graphs by keyboard alone', async ({ page }) => {
  test.slow();
  await openAnchor(page);
  await packageItem(page, ANCHOR).getByRole('button').focus();
  await page.keyboard.press('v');
  await expect(right(page, ANCHOR)).toBeVisible();
  await expect(page.getByText(/is open beside this graph\. F6 switches/)).toBeAttached();

  const holds = (graph: Locator) => graph.evaluate(element => element.contains(document.activeElement));
  const goTo = async (graph: Locator) => {
    for (let presses = 0; presses < 9 && !await holds(graph); presses++) await page.keyboard.press('F6');
    expect(await holds(graph)).toBe(true);
  };
  await goTo(right(page, ANCHOR));
  await entryIn(right(page, ANCHOR), 'anchor-operator.v1.2.0', 'stable').focus();
  await page.keyboard.press('ArrowLeft');
  await expect(entryIn(right(page, ANCHOR), 'anchor-operator.v1.1.0', 'stable')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(inspector(page).getByRole('heading', { name: 'anchor-operator.v1.1.0' })).toBeVisible();
  await expect(entryIn(right(page, ANCHOR), 'anchor-operator.v1.1.0', 'stable')).toBeFocused();
  await expect(entryIn(left(page, ANCHOR), 'anchor-operator.v1.1.0', 'stable'), 'each has a selection of its own').toHaveAttribute('aria-pressed', 'false');

  await test.step('a lane is hidden at the right alone', async () => {
    await right(page, ANCHOR).getByRole('button', { name: /^Channel candidate,/ }).focus();
    await page.keyboard.press('Alt+Delete');
    await expect(right(page, ANCHOR).getByRole('button', { name: /^Channel candidate,/ })).toHaveCount(0);
    await expect(left(page, ANCHOR).getByRole('button', { name: /^Channel candidate,/ })).toBeVisible();
  });

  await test.step('the line between them by its keys', async () => {
    const width = async () => Math.round((await right(page, ANCHOR).boundingBox())?.width ?? 0);
    const before = await width();
    await line(page).focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(width).toBeLessThan(before);
    await page.keyboard.press('Home');
    await expect(line(page)).toHaveAttribute('aria-valuenow', '280');
    await page.keyboard.press('Enter');
    await expect(right(page, ANCHOR)).toBeHidden();
    expect(await holds(left(page, ANCHOR)), 'the focus is not lost with the line').toBe(true);
    await page.keyboard.press('v');
    await expect(right(page, ANCHOR)).toBeVisible();
  });

  await test.step('the other graph closes, and the focus is not lost', async () => {
    await goTo(left(page, ANCHOR));
    await page.keyboard.press('Shift+V');
    await expect(right(page, ANCHOR)).toBeHidden();
    expect(await holds(left(page, ANCHOR))).toBe(true);
  });

  await test.step('from the palette', async () => {
    await page.keyboard.press('ControlOrMeta+k');
    const palette = page.getByRole('dialog', { name: 'Command palette' });
    await palette.getByRole('combobox').fill('Open beside');
    await page.keyboard.press('Enter');
    await expect(right(page, ANCHOR)).toBeVisible();
  });
});

test('what is beside follows the disk, and goes when it is gone', async ({ page }) => {
  test.slow();
  const dir = await openAnchor(page);
  await buoyBeside(page);
  const file = path.join(dir, BUOY, 'catalog.json');
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"defaultChannel": "alpha"', '"defaultChannel": "beta"'));
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  await expect(entryIn(right(page, BUOY), 'buoy-operator.v0.1.0', 'beta')).toHaveAccessibleName(/default channel/);
  await expect(left(page, ANCHOR)).toBeVisible();

  fs.rmSync(path.join(dir, BUOY), { recursive: true });
  await expect(async () => {
    await page.evaluate(() => dispatchEvent(new Event('focus')));
    await expect(right(page, BUOY)).toBeHidden({ timeout: 3_000 });
  }).toPass({ timeout: 30_000 });
  await expect(entryIn(left(page, ANCHOR), 'anchor-operator.v1.2.0', 'stable')).toBeVisible();
});

test('where two have no room one is seen, and it is said', async ({ page }) => {
  test.slow();
  await openAnchor(page);
  await buoyBeside(page);
  await page.setViewportSize({ width: 500, height: 800 });
  await expect(page.getByText('There is no room for two graphs here.')).toBeVisible();
  await expect(left(page, ANCHOR)).toBeVisible();
  await expect(right(page, BUOY)).toBeHidden();
  await accessible(page, 'one of two graphs in a narrow window');
  await page.getByRole('button', { name: 'Show the other graph' }).click();
  await expect(right(page, BUOY)).toBeVisible();
  await expect(left(page, ANCHOR)).toBeHidden();
  await page.setViewportSize({ width: 1440, height: 900 });
  await expect(left(page, ANCHOR)).toBeVisible();
  await expect(entryIn(right(page, BUOY), 'buoy-operator.v0.2.0', 'alpha')).toBeVisible();
});
