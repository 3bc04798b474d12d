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

type Icon = { operator: string; mediatype: string; bytes: () => Buffer; says: RegExp };

const PLAIN = 'plain-operator';

const withIcon = ({ operator, mediatype, bytes }: Icon): string =>
  oneOperator(operator).replace(`name: ${operator}\n`, `name: ${operator}\nicon:\n  base64data: ${bytes().toString('base64')}\n  mediatype: ${mediatype}\n`);

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

/// Visits each package with an icon between two visits to the one without.
async function expectUsable(tab: Tab): Promise<void> {
  const plain = () => visitPackage(tab, PLAIN, /plain-operator/);
  const usual = await measureTime(plain);
  for (const { operator, says } of PICTURED) {
    expect(await measureTime(() => visitPackage(tab, operator, says)), operator).toBeLessThan(usual + USABLE_MS);
    expect(await measureTime(plain), `after ${operator}`).toBeLessThan(usual + USABLE_MS);
  }
  expect(await tab.allText()).not.toContain(RAN);
}

const refused = (operator: string, mediatype: string, bytes: () => Buffer, why: RegExp): Icon =>
  ({ operator, mediatype, bytes, says: new RegExp(`The icon is not shown: .*(?:${why.source})`) });

const script = `top.document.body.append('${RAN}')`;

const PICTURED: Icon[] = [
  // An SVG that uses itself a thousand million times.
  refused('nested-operator', 'image/svg+xml', nested, /draw more than 100000 shapes/),
  refused('heavy-operator', 'image/svg+xml', () => svg('<path d="M0 0h1"/>'.repeat((30 << 20) / 18)), /kB are allowed/),
  refused('wide-operator', 'image/png', () => png(20_000), /400 million pixels/),
  refused('sizeless-operator', 'image/png', () => png(16).subarray(0, 20), /its bytes are not a PNG/),
  // It ends before its pixels.
  refused('cut-operator', 'image/png', () => png(16).subarray(0, 30), /cut off/),
  // A JPEG with a valid header only.
  refused('header-operator', 'image/jpeg',
    () => Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc0, 0, 11, 8, 0, 16, 0, 16, 1, 1, 0x11, 0, 0xff, 0xd9]), /this browser cannot decode it/),
  // An `img` element runs no scripts, so that this icon may be shown.
  {
    operator: 'scripted-operator',
    mediatype: 'image/svg+xml',
    bytes: () => svg(`<script>${script}</script><rect width="9" height="9"/>`, ` onload="${script}"`),
    says: /scripted-operator/,
  },
];

export const ICONS: Row[] = [{
  name: 'packages with expensive or damaged icons stay usable, the page says why an icon is not shown, and no script runs',
  method: 'files',
  make: dir => [...PICTURED.map(icon => [icon.operator, withIcon(icon)] as const), [PLAIN, oneOperator(PLAIN)] as const].map(([operator, text]) => {
    const at = path.join(dir, `${operator}.yaml`);
    fs.writeFileSync(at, text);
    return at;
  }),
  shows: { passes: [...PICTURED.map(({ operator }) => operator), PLAIN] },
  alsoExpect: expectUsable,
}];
