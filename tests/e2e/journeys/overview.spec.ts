// The whole graph: fitted into the view, and exported as an image.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { choosePackage, expect, fixture, graph, openFolder, test } from '../harness';

const CHANNELS = 24, VERSIONS = 20, EACH = 8;
const version = (n: number) => `1.${Math.floor(n / 10)}.${n % 10}`;

/// A package of many channels, each with a section of the versions: several views wide and high.
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
  return writeCatalog(text);
}

/// A package of one channel, too long for any browser to draw at double size.
function longYard(): string {
  const name = (n: number) => `yard.v1.0.${n}`;
  let text = 'schema: olm.package\nname: yard\ndefaultChannel: track-0\n---\nschema: olm.channel\npackage: yard\nname: track-0\nentries:\n';
  for (let n = 0; n < 160; n++) text += `- {name: ${name(n)}${n > 0 ? `, replaces: ${name(n - 1)}` : ''}}\n`;
  return writeCatalog(text);
}

function writeCatalog(text: string): string {
  const dir = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-yard-')), 'yards');
  fs.mkdirSync(path.join(dir, 'yard'), { recursive: true });
  fs.writeFileSync(path.join(dir, 'yard/catalog.yaml'), text);
  return dir;
}

const column = (page: Page, n: number): Locator => graph(page).locator(`[data-column="yard.v${version(n)}"]`);

test('Fit shows the newest versions at a readable size', async ({ page }) => {
  test.slow();
  await openFolder(page, yards());
  await choosePackage(page, 'yard');
  await graph(page).getByRole('button', { name: 'Zoom out' }).click({ clickCount: 4 });
  await graph(page).getByRole('button', { name: 'Fit' }).click();
  await expect(column(page, VERSIONS - 1)).toBeInViewport();
  await expect(graph(page).getByRole('button', { name: /^Natural size, now 85 %$/ })).toBeVisible();

  // The selection, where not everything fits.
  const last = graph(page).getByRole('button', { name: /^Channel track-23,/ });
  await last.press('Enter');
  await expect(last).toBeInViewport({ ratio: 1 });
  await graph(page).getByRole('button', { name: 'Fit' }).click();
  await expect(last).toBeInViewport({ ratio: 1 });
});

/// The file that *Export…* downloads.
async function exportGraph(page: Page, form: string): Promise<{ name: string; bytes: Buffer }> {
  await graph(page).getByRole('button', { name: 'Export…' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: form, exact: true }).click();
  const file = await download;
  return { name: file.suggestedFilename(), bytes: fs.readFileSync(await file.path()) };
}

/// Width and height of a PNG, from its first chunk.
function pngSize(png: Buffer): [number, number] {
  expect([...png.subarray(0, 8)]).toEqual([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  expect(png.toString('latin1', 12, 16)).toBe('IHDR');
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}

function svgSize(svg: Buffer): [number, number] {
  const found = /<svg[^>]* width="(\d+)" height="(\d+)"/.exec(svg.toString('utf8'));
  if (!found) throw new Error('the picture has no size');
  return [Number(found[1]), Number(found[2])];
}

test('the graph is exported as a PNG of double size', async ({ page, violations }) => {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  const [width, height] = svgSize((await exportGraph(page, 'Picture (SVG)')).bytes);
  const png = await exportGraph(page, 'Picture (PNG, 2x)');
  expect(png.name).toBe('anchor-operator.png');
  expect(pngSize(png.bytes)).toEqual([2 * width, 2 * height]);
  const opener = graph(page).getByRole('button', { name: 'Export…' });
  await opener.press('Enter');
  await page.getByRole('menuitem', { name: 'Picture (SVG)' }).press('ArrowDown');
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Picture (PNG, 2x)' }).press('Enter');
  expect((await download).suggestedFilename()).toBe('anchor-operator.png');
  expect(violations).toEqual([]);
});

test('a graph too large for the browser is exported at a smaller scale, with a message', async ({ page, violations }) => {
  test.slow();
  await openFolder(page, longYard());
  await choosePackage(page, 'yard');
  const [width] = svgSize((await exportGraph(page, 'Picture (SVG)')).bytes);
  expect(2 * width).toBeGreaterThan(16_384);
  const [drawn] = pngSize((await exportGraph(page, 'Picture (PNG, 2x)')).bytes);
  expect(drawn).toBeGreaterThan(16_000);
  expect(drawn).toBeLessThanOrEqual(16_384);
  await expect(page.getByText(/^yard\.png is \d+ × \d+ pixels, 1\.\d times the size/).first()).toBeVisible();
  expect(violations).toEqual([]);
});
