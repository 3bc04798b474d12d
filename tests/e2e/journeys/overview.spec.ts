// The graph as a whole: its map, as pixels.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { accessible, choosePackage, entry, expect, fixture, graph, openFolder, test } from '../harness';

const CHANNELS = 24, VERSIONS = 20, EACH = 8;
const version = (n: number) => `1.${Math.floor(n / 10)}.${n % 10}`;

/// A package of many channels, each with a stretch of the versions: several views wide and high.
function yards(): string {
  const name = (n: number) => `yard.v${version(n)}`;
  let text = 'schema: olm.package\nname: yard\ndefaultChannel: track-0\n';
  for (let c = 0; c < CHANNELS; c++) {
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
    const [node, over] = [await box(at), await box(map)];
    const apart = node.x >= over.x + over.width || node.y >= over.y + over.height || node.y + node.height <= over.y;
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
