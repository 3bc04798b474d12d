// How long the page takes to start: first paint, a start page that accepts files, its program, and the rest; then
// from the drop of a small catalog to its verdict. Cold and from the browser's cache; on a slow connection and on a
// local one. The host compresses with brotli, as static hosts do. Numbers are printed, never asserted.
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { chromium } from '@playwright/test';
import { ARGS, drop, expect, test, verdict } from '../harness';
import { BUILT } from '../hostile/host';
import { reportTimes } from './report';
import { writeSmallCatalog } from './small';

const COUNT = Number(process.env.SWITCHYARD_BENCH_COUNT ?? 5);
/// 1.6 Mbit/s and 150 ms.
const SLOW = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 };
const KINDS: Record<string, string> = { html: 'text/html', js: 'text/javascript', css: 'text/css', wasm: 'application/wasm' };

/// A host that has compressed every file of the page in advance.
async function startHost(): Promise<http.Server> {
  const packed = new Map(fs.readdirSync(BUILT, { withFileTypes: true }).filter(entry => entry.isFile())
    .map(({ name }) => [`/${name}`, brotliCompressSync(fs.readFileSync(path.join(BUILT, name)))]));
  const server = http.createServer((request, response) => {
    const name = (request.url ?? '').split('?')[0] ?? '';
    const file = name === '/' ? '/index.html' : name;
    const bytes = packed.get(file);
    if (!bytes) return void response.writeHead(404).end();
    const isNamed = /-[0-9a-f]{12,}/.test(file);
    response.writeHead(200, {
      'content-type': KINDS[file.split('.').pop() ?? ''] ?? 'application/octet-stream',
      'content-encoding': 'br',
      'cache-control': isNamed ? 'public, max-age=31536000, immutable' : 'no-cache',
    }).end(bytes);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', () => resolve()));
  return server;
}

test('the start of a visit', async () => {
  test.setTimeout(900_000);
  const browser = await chromium.launch({ executablePath: process.env.SWITCHYARD_CHROMIUM ?? '/usr/bin/chromium', args: ARGS });
  const server = await startHost();
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  for (const line of ['none', 'slow'] as const) {
    const figures = new Map<string, number[]>();
    const note = (what: string, ms: number) => figures.set(what, [...figures.get(what) ?? [], ms]);
    for (let n = 0; n < COUNT; n += 1) {
      const context = await browser.newContext();
      for (const visit of ['first visit', 'second visit']) {
        const page = await context.newPage();
        if (line === 'slow') {
          const client = await context.newCDPSession(page);
          await client.send('Network.enable');
          await client.send('Network.emulateNetworkConditions', SLOW);
        }
        await page.addInitScript(() => {
          const times: Record<string, number> = {};
          Object.assign(window, { __times: times });
          const look = () => {
            const folder = document.querySelector<HTMLButtonElement>('#start-folder');
            if (folder && !folder.disabled) times.takes ??= performance.now();
            if (folder && !document.querySelector('#boot')) times.program ??= performance.now();
            if (times.program === undefined) requestAnimationFrame(look);
          };
          requestAnimationFrame(look);
        });
        await page.goto(address, { waitUntil: 'commit' });
        await expect(page.locator('#boot')).toHaveCount(0, { timeout: 60_000 });
        const rest = await page.evaluate(async () => {
          await (window as unknown as { switchyard: { workerProgram(): Promise<unknown> } }).switchyard.workerProgram();
          return performance.now();
        });
        const { takes, program, seen } = await page.evaluate(() => ({
          ...(window as unknown as { __times: { takes: number; program: number } }).__times,
          seen: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
        }));
        note(`${visit}: something to look at`, seen);
        note(`${visit}: takes files`, takes);
        note(`${visit}: the page's program is there`, program);
        note(`${visit}: the workers' program is there`, rest);
        if (line === 'none' && visit === 'second visit') {
          await page.waitForTimeout(1_000); // quiet
          await drop(page, [writeSmallCatalog()]);
          await expect(verdict(page)).toHaveText('Passes opm validate');
          note('from the drop of 70 kB to its verdict', await page.evaluate(() => performance.getEntriesByName('open')[0]?.duration ?? NaN));
        }
        await page.close();
      }
      await context.close();
    }
    for (const [what, ms] of figures) reportTimes(`${line === 'slow' ? '1.6 Mbit/s, 150 ms' : 'same machine'}, ${what}`, ms);
  }
  await browser.close();
  server.close();
});
