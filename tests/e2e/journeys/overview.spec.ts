// The graph as a whole: its map, as pixels, on paper.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { accessible, choosePackage, entry, expect, fixture, graph, openFolder, test } from '../harness';

const CHANNELS = 24, VERSIONS = 20, EACH = 8;
const version = (n: number) => `1.${Math.floor(n / 10)}.${n % 10}`;

/// A package of many channels, each with a stretch of the versions: several views wide and high.
function yards(channels = CHANNELS): string {
  const name = (n: number) => `yard.v${version(n)}`;
  let text = 'schema: olm.package\nname: yard\ndefaultChannel: track-0\n';
  for (let c = 0; c < channels; c++) {
    const first = c % (VERSIONS - EACH + 1);
    text += `---\nschema: olm.channel\npackage: yard\nname: track-${c}\nentries:\n`;
    for (let n = first; n < first + EACH; n++)
      text += `- {name: ${name(n)}${n > first ? `, replaces: ${name(n - 1)}` : ''}}\n`;
  }
  for (let n = 0; n < VERSIONS; n++)
    text += `---\nschema: olm.bundle\npackage: yard\nname: ${name(n)}\nimage: quay.io/yard/yard:${n}\nproperties:\n- {type: olm.package, value: {packageName: yard, version: ${version(n)}}}\n`;
  return written(text);
}

/// A package of one channel, so long that no browser draws it at twice its size.
function longYard(): string {
  const name = (n: number) => `yard.v1.0.${n}`;
  let text = 'schema: olm.package\nname: yard\ndefaultChannel: track-0\n---\nschema: olm.channel\npackage: yard\nname: track-0\nentries:\n';
  for (let n = 0; n < 160; n++) text += `- {name: ${name(n)}${n > 0 ? `, replaces: ${name(n - 1)}` : ''}}\n`;
  return written(text);
}

function written(text: string): string {
  const dir = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-yard-')), 'yards');
  fs.mkdirSync(path.join(dir, 'yard'), { recursive: true });
  fs.writeFileSync(path.join(dir, 'yard/catalog.yaml'), text);
  return dir;
}

const minimap = (page: Page): Locator => graph(page).getByRole('group', { name: 'Minimap' });
const toggle = (page: Page): Locator => graph(page).getByRole('button', { name: 'Minimap' });
const column = (page: Page, n: number): Locator => graph(page).locator(`[data-column="yard.v${version(n)}"]`);

async function box(place: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  const found = await place.boundingBox();
  if (!found) throw new Error('it is not in the page');
  return found;
}

test('a map of a large graph moves the view', async ({ page, violations }) => {
  test.slow();
  await openFolder(page, yards());
  await choosePackage(page, 'yard');
  const lanes = graph(page).getByRole('button', { name: /^Channel track-/ });
  const map = minimap(page);
  await expect(map).toBeVisible();
  await expect(lanes).toHaveCount(CHANNELS);
  await expect(lanes.first()).toBeInViewport();
  await expect(lanes.last()).not.toBeInViewport();

  await test.step('by the pointer', async () => {
    const { x, y, width, height } = await box(map);
    await page.mouse.click(x + 8, y + height - 8);
    await expect(lanes.last()).toBeInViewport();
    await expect(column(page, 0)).toBeInViewport();
    await expect(column(page, VERSIONS - 1)).not.toBeInViewport();
    await page.mouse.move(x + 10, y + height - 12);
    await page.mouse.down();
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.move(x + width - 8, y + 8);
    await page.mouse.up();
    await expect(lanes.first()).toBeInViewport();
    await expect(column(page, VERSIONS - 1)).toBeInViewport();
    await expect(lanes.last()).not.toBeInViewport();
    await page.mouse.move(x + 8, y + height - 8);
    await expect(lanes.first(), 'what is let go follows no longer').toBeInViewport();
  });

  await test.step('by keys', async () => {
    await map.focus();
    await page.keyboard.press('PageDown');
    await page.keyboard.press('PageDown');
    await page.keyboard.press('PageDown');
    await expect(lanes.last()).toBeInViewport();
    await page.keyboard.press('Home');
    await expect(column(page, 0)).toBeInViewport();
    const said = page.getByRole('status', { name: 'What happened' }).filter({ hasText: 'In view' });
    await expect(said).toHaveText(/^In view: 1\.0\.0 to 1\.\d\.\d, channels track-\d+ to track-\d+\.$/);
    await page.keyboard.press('End');
    await expect(column(page, VERSIONS - 1)).toBeInViewport();
    for (const key of ['ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowUp']) await page.keyboard.press(key);
    await expect(lanes.first()).toBeInViewport();
    await expect(map).toBeFocused();
  });
  await accessible(page, 'minimap');
  expect(violations).toEqual([]);
});

test('what has the focus is never under the map', async ({ page }) => {
  test.slow();
  await openFolder(page, yards());
  await choosePackage(page, 'yard');
  const first = entry(page, `yard.v${version(0)}`, 'track-0');
  await first.focus();
  await expect(first).toBeFocused();
  const map = minimap(page);
  for (let lane = 1; lane < CHANNELS; lane++) {
    await page.keyboard.press('ArrowDown');
    const at = graph(page).locator(`[data-lane="${lane}"]:focus`);
    await expect(at).toBeInViewport({ ratio: 1 });
    const [car, over] = [await box(at), await box(map)];
    const apart = car.x >= over.x + over.width || car.y >= over.y + over.height || car.y + car.height <= over.y;
    expect(apart, `lane ${lane}`).toBe(true);
  }
});

test('the map is put away and comes back', async ({ page }) => {
  test.slow();
  const dir = yards();
  await openFolder(page, dir);
  await choosePackage(page, 'yard');
  await expect(minimap(page)).toBeVisible();
  await expect(toggle(page)).toHaveAttribute('aria-pressed', 'true');
  await toggle(page).press('Enter');
  await expect(minimap(page)).toHaveCount(0);
  await expect(toggle(page)).toHaveAttribute('aria-pressed', 'false');
  await expect(toggle(page)).toBeFocused();

  await openFolder(page, dir);
  await choosePackage(page, 'yard');
  await expect(toggle(page), 'it is remembered').toHaveAttribute('aria-pressed', 'false');
  await expect(minimap(page)).toHaveCount(0);
  await page.keyboard.press('ControlOrMeta+k');
  const palette = page.getByRole('dialog', { name: 'Command palette' });
  await palette.getByRole('combobox').fill('minimap');
  await palette.getByRole('option', { name: /^Show or hide the minimap/ }).click();
  await expect(minimap(page)).toBeVisible();

  await graph(page).getByRole('button', { name: 'Fit' }).click();
  await expect(minimap(page), 'all is in view').toHaveCount(0);
});

test('a small graph has no map', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  await expect(graph(page)).toBeVisible();
  await expect(entry(page, 'anchor-operator.v1.2.0', 'stable')).toBeVisible();
  await expect(minimap(page)).toHaveCount(0);
});

/// What *Export…* gives.
async function taken(page: Page, form: string): Promise<{ name: string; bytes: Buffer }> {
  await graph(page).getByRole('button', { name: 'Export…' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: form, exact: true }).click();
  const file = await download;
  return { name: file.suggestedFilename(), bytes: fs.readFileSync(await file.path()) };
}

/// Width and height of a PNG, which its first chunk holds.
function pixels(png: Buffer): [number, number] {
  expect([...png.subarray(0, 8)]).toEqual([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  expect(png.toString('latin1', 12, 16)).toBe('IHDR');
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}

function extent(svg: Buffer): [number, number] {
  const found = /<svg[^>]* width="(\d+)" height="(\d+)"/.exec(svg.toString('utf8'));
  if (!found) throw new Error('the picture has no size');
  return [Number(found[1]), Number(found[2])];
}

test('the graph leaves as pixels, twice its size', async ({ page, violations }) => {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  const [width, height] = extent((await taken(page, 'Picture (SVG)')).bytes);
  const png = await taken(page, 'Picture (PNG, 2x)');
  expect(png.name).toBe('anchor-operator.png');
  expect(pixels(png.bytes)).toEqual([2 * width, 2 * height]);
  const opener = graph(page).getByRole('button', { name: 'Export…' });
  await opener.press('Enter');
  await page.getByRole('menuitem', { name: 'Picture (SVG)' }).press('ArrowDown');
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Picture (PNG, 2x)' }).press('Enter');
  expect((await download).suggestedFilename()).toBe('anchor-operator.png');
  expect(violations).toEqual([]);
});

test('what no browser can draw is drawn smaller, and that is said', async ({ page, violations }) => {
  test.slow();
  await openFolder(page, longYard());
  await choosePackage(page, 'yard');
  const [width] = extent((await taken(page, 'Picture (SVG)')).bytes);
  expect(2 * width).toBeGreaterThan(16_384);
  const [drawn] = pixels((await taken(page, 'Picture (PNG, 2x)')).bytes);
  expect(drawn).toBeGreaterThan(16_000);
  expect(drawn).toBeLessThanOrEqual(16_384);
  await expect(page.getByText(/^yard\.png is \d+ × \d+ pixels, 1\.\d times the size/).first()).toBeVisible();
  expect(violations).toEqual([]);
});

const around = (page: Page): Locator[] => [
  page.getByRole('navigation', { name: 'Catalogs and packages' }),
  page.getByRole('complementary', { name: 'Inspector' }),
  page.getByRole('region', { name: 'Problems' }),
  page.getByRole('status', { name: 'Verdict' }),
  page.getByRole('tab', { name: 'Graph' }),
];

async function nothingAround(page: Page): Promise<void> {
  for (const part of around(page)) await expect(part).toBeHidden();
}

test('paper has the whole graph and nothing around it', async ({ page, violations }) => {
  test.slow();
  const channels = 40;
  await openFolder(page, yards(channels));
  await choosePackage(page, 'yard');
  const cars = graph(page).locator('[data-car]');
  const lanes = graph(page).getByRole('button', { name: /^Channel track-/ });
  await expect(lanes).toHaveCount(channels);
  expect(await cars.count(), 'of so many only those near the view are in the page').toBeLessThan(channels * EACH);
  await lanes.nth(20).focus();
  await page.mouse.move(600, 400);
  await page.mouse.wheel(0, 500);
  await expect(lanes.first()).not.toBeInViewport();

  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await expect(page.getByText('Upgrade graph of yard', { exact: true })).toBeVisible();
  await expect(page.getByText('Catalog yards', { exact: true })).toBeVisible();
  await nothingAround(page);
  await expect(graph(page).getByRole('button', { name: 'Export…' })).toBeHidden();
  await expect(minimap(page)).toBeHidden();
  await expect(cars).toHaveCount(channels * EACH);
  const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  expect(paper).toBe('rgb(255, 255, 255)');
  // The sheets together show each car once, and none of them is empty.
  const windows = await page.locator('.sheet-svg').evaluateAll(sheets => sheets.map(sheet => {
    const [x = 0, y = 0, width = 0, height = 0] = (sheet.firstElementChild?.getAttribute('viewBox') ?? '').split(' ').map(Number);
    return { x, y, width, height };
  }));
  expect(windows.length).toBeGreaterThan(2);
  const at = await cars.locator('.car-box').evaluateAll(boxes => boxes.map(box => {
    const [x = 0, y = 0, width = 0, height = 0] = ['x', 'y', 'width', 'height'].map(name => Number(box.getAttribute(name)));
    return { x: x + width / 2, y: y + height / 2 };
  }));
  const holds = (part: (typeof windows)[number], car: (typeof at)[number]): boolean =>
    car.x >= part.x && car.x < part.x + part.width && car.y >= part.y && car.y < part.y + part.height;
  expect(at.filter(car => windows.filter(part => holds(part, car)).length !== 1)).toEqual([]);
  expect(windows.filter(part => !at.some(car => holds(part, car)))).toEqual([]);
  for (const sheet of await page.locator('.sheet-svg').all()) await expect(sheet).toBeVisible();

  await page.emulateMedia({ media: null, colorScheme: 'light' });
  await expect(page.locator('.sheet-svg')).toHaveCount(0);
  await expect(page.getByRole('tab', { name: 'Graph' })).toBeVisible();
  await expect(lanes.first(), 'the view is where it was').not.toBeInViewport();

  const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
  expect(pdf.match(/\/Type \/Page\b/g)?.length).toBeGreaterThan(2);
  await expect(page.locator('.sheet-svg'), 'after the print the page is as it was').toHaveCount(0);
  expect(violations).toEqual([]);
});

test('paper has the table or the source where that is in view', async ({ page }) => {
  test.slow();
  await openFolder(page, yards());
  await choosePackage(page, 'yard');
  await page.getByRole('tab', { name: 'Table' }).click();
  const rows = page.getByRole('grid', { name: 'Entries of yard' }).getByRole('row');
  await expect(rows.first()).toBeVisible();
  expect(await rows.count()).toBeLessThan(CHANNELS * EACH);
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByText('Entries of yard', { exact: true })).toBeVisible();
  await nothingAround(page);
  await expect(rows).toHaveCount(CHANNELS * EACH + 1);
  await expect(page.getByRole('searchbox')).toHaveCount(0);
  await page.emulateMedia({ media: null });

  await page.getByRole('tab', { name: 'Source' }).click();
  await expect(page.getByRole('textbox', { name: /^Text: / })).toBeVisible();
  await page.emulateMedia({ media: 'print' });
  await nothingAround(page);
  const text = page.locator('.print-source');
  await expect(text).toBeVisible();
  await expect(text).toContainText(/^ +1 {2}schema: olm\.package$/m);
  await expect(text).toContainText('quay.io/yard/yard:19');
  await page.emulateMedia({ media: null });
  await expect(text).toHaveCount(0);
});
