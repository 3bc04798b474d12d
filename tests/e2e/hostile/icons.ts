// Icons that are too expensive to draw: the package stays usable, and the page says why the icon is not shown.
import { expect } from '@playwright/test';
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import type { Tab } from '../engines/engine';
import { PATIENCE, oneOperator, type Row } from './row';

/// The most time that a package with an icon may take in addition to one without.
const USABLE_MS = 5_000;

const svg = (inside: string, attributes = ''): Buffer =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9"${attributes}>${inside}</svg>`);

/// Each level uses the previous one ten times.
const nested = (): Buffer => {
  const level = (at: number): string => `<g id="l${at}">${`<use xlink:href="#l${at - 1}"/>`.repeat(10)}</g>`;
  return svg(`<defs><rect id="l0" width="1" height="1"/>${Array.from({ length: 9 }, (_, at) => level(at + 1)).join('')}</defs><use xlink:href="#l9"/>`);
};

const chunk = (kind: string, bytes: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(kind), bytes]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(bytes.length);
  sum.writeUInt32BE(zlib.crc32(named));
  return Buffer.concat([length, named, sum]);
};

/// A complete square image with one bit per pixel.
const png = (side: number): Buffer => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header[8] = 1;
  const pixels = zlib.deflateSync(Buffer.alloc(side * (1 + Math.ceil(side / 8))));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
};

const inspector = async (tab: Tab): Promise<string> => (await tab.texts('complementary', 'Inspector')).join();

/// The text that a script in an image would write into the page.
const RAN = 'a script of the icon ran';

const withIcon = (mediatype: string, bytes: () => Buffer): Row['make'] => dir => {
  const text = oneOperator('pictured-operator')
    .replace('name: pictured-operator\n', `name: pictured-operator\nicon:\n  base64data: ${bytes().toString('base64')}\n  mediatype: ${mediatype}\n`);
  return Object.entries({ 'pictured.yaml': text, 'plain.yaml': oneOperator('plain-operator') }).map(([name, text]) => {
    const at = path.join(dir, name);
    fs.writeFileSync(at, text);
    return at;
  });
};

async function visitPackage(tab: Tab, operator: string, says: RegExp): Promise<void> {
  await tab.press('listitem', operator);
  await expect.poll(() => tab.texts('region', `Upgrade graph of ${operator}`), PATIENCE).toHaveLength(1);
  await expect.poll(() => inspector(tab), PATIENCE).toMatch(says);
}

async function measureTime(what: () => Promise<void>): Promise<number> {
  const start = Date.now();
  await what();
  return Date.now() - start;
}

/// Visits the package with the icon between two visits to the one without.
const expectUsable = (says: RegExp) => async (tab: Tab): Promise<void> => {
  const plain = () => visitPackage(tab, 'plain-operator', /plain-operator/);
  const usual = await measureTime(plain);
  expect(await measureTime(() => visitPackage(tab, 'pictured-operator', says))).toBeLessThan(usual + USABLE_MS);
  expect(await measureTime(plain)).toBeLessThan(usual + USABLE_MS);
  expect(await tab.allText()).not.toContain(RAN);
};

const iconRow = (what: string, mediatype: string, bytes: () => Buffer, why: RegExp): Row => ({
  name: `a package whose icon is ${what} stays usable, and the page says why it is not shown`,
  method: 'files',
  make: withIcon(mediatype, bytes),
  shows: { passes: ['pictured-operator', 'plain-operator'] },
  alsoExpect: expectUsable(new RegExp(`The icon is not shown: .*(?:${why.source})`)),
});

const script = `top.document.body.append('${RAN}')`;

export const ICONS: Row[] = [
  iconRow('an SVG that uses itself a thousand million times', 'image/svg+xml', nested, /draw more than 100000 shapes/),
  iconRow('an SVG of 30 MB', 'image/svg+xml', () => svg('<path d="M0 0h1"/>'.repeat((30 << 20) / 18)), /kB are allowed/),
  iconRow('a PNG of 20,000 pixels a side', 'image/png', () => png(20_000), /400 million pixels/),
  iconRow('a PNG without its size', 'image/png', () => png(16).subarray(0, 20), /its bytes are not a PNG/),
  iconRow('a PNG that is cut off before its pixels', 'image/png', () => png(16).subarray(0, 30), /cut off/),
  iconRow('a JPEG with a valid header only', 'image/jpeg',
    () => Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc0, 0, 11, 8, 0, 16, 0, 16, 1, 1, 0x11, 0, 0xff, 0xd9]), /this browser cannot decode it/),
  {
    // An `img` element runs no scripts, so that the icon may be shown.
    name: 'a package whose icon is an SVG with a script stays usable, and no script runs',
    method: 'files',
    make: withIcon('image/svg+xml', () => svg(`<script>${script}</script><rect width="9" height="9"/>`, ` onload="${script}"`)),
    shows: { passes: ['pictured-operator', 'plain-operator'] },
    alsoExpect: expectUsable(/pictured-operator/),
  },
];
