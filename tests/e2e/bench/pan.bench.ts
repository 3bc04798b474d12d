// Script time per frame while panning a graph of 1,000 entries and 1,000 edges: the outermost script spans on the
// page's main thread in a browser trace, divided by the frames counted in the page. Numbers are printed, never
// asserted.
import type { CDPSession, Page } from '@playwright/test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { choosePackage, graph, openFolder, test } from '../harness';

const CHANNELS = 10, ENTRIES = 100, PAN_MS = 5_000;
const SCRIPT = new Set(['FunctionCall', 'EvaluateScript', 'FireAnimationFrame', 'TimerFire', 'EventDispatch', 'RunMicrotasks']);
const DRAWING = ['Layout', 'UpdateLayoutTree', 'PrePaint', 'Paint', 'Layerize', 'Commit'];

type Span = { ph: string; name: string; pid: number; tid: number; ts: number; dur?: number };
type Counted = Window & { __frames: number; __long: [from: number, to: number][] };

/// Channels that share their bundles. Each entry replaces the previous one and the last of each channel skips the
/// first, so that there are as many edges as entries.
function writeCatalog(): string {
  const name = (n: number) => `yard.v1.${Math.floor(n / 10)}.${n % 10}`;
  let text = 'schema: olm.package\nname: yard\ndefaultChannel: channel-0\n';
  for (let c = 0; c < CHANNELS; c++) {
    text += `---\nschema: olm.channel\npackage: yard\nname: channel-${c}\nentries:\n`;
    for (let n = 0; n < ENTRIES; n++) {
      text += `- name: ${name(n)}\n`;
      if (n > 0) text += `  replaces: ${name(n - 1)}\n`;
      if (n === ENTRIES - 1) text += `  skips: [${name(0)}]\n`;
    }
  }
  for (let n = 0; n < ENTRIES; n++)
    text += `---\nschema: olm.bundle\npackage: yard\nname: ${name(n)}\nimage: quay.io/yard/yard:${n}\nproperties:\n- {type: olm.package, value: {packageName: yard, version: 1.${Math.floor(n / 10)}.${n % 10}}}\n`;
  const dir = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-yard-')), 'yards');
  fs.mkdirSync(path.join(dir, 'yard'), { recursive: true });
  fs.writeFileSync(path.join(dir, 'yard/catalog.yaml'), text);
  return dir;
}

async function recordTrace(client: CDPSession, work: () => Promise<void>): Promise<Span[]> {
  const spans: Span[] = [];
  client.on('Tracing.dataCollected', event => spans.push(...(event.value as unknown as Span[])));
  await client.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['devtools.timeline', 'disabled-by-default-devtools.timeline'], excludedCategories: ['*'] },
  });
  await work();
  const done = new Promise<void>(resolve => client.once('Tracing.tracingComplete', () => resolve()));
  await client.send('Tracing.end');
  await done;
  return spans.filter(span => span.ph === 'X');
}

/// A point between two lanes: pressing on a node would drag it instead of panning.
async function findEmptyPlace(page: Page, box: { x: number; y: number; width: number; height: number }): Promise<[x: number, y: number]> {
  const x = box.x + box.width / 2;
  const y = await page.evaluate(({ x, from, to }) => {
    for (let y = from; y < to; y += 2)
      if ([0, 6, 12].every(below => !document.elementFromPoint(x, y + below)?.closest('button, [data-node], [role="button"], .edge'))) return y + 6;
    return undefined;
  }, { x, from: box.y + box.height / 2, to: box.y + box.height * 0.9 });
  if (y === undefined) throw new Error('the graph has no empty place');
  return [x, y];
}

test('panning 1,000 entries and 1,000 edges', async ({ page }) => {
  test.setTimeout(300_000);
  await openFolder(page, writeCatalog());
  await choosePackage(page, 'yard');
  const unfold = graph(page).getByRole('button', { name: /fold/i }).first();
  if (await unfold.getAttribute('aria-pressed') === 'true') await unfold.click();
  const client = await page.context().browser()!.newBrowserCDPSession();
  const box = await graph(page).boundingBox();
  if (!box) throw new Error('the graph is not drawn');
  await page.evaluate(() => {
    const here = window as unknown as Counted;
    here.__frames = 0;
    here.__long = [];
    const note = ({ startTime, duration }: PerformanceEntry): void => { here.__long.push([startTime, startTime + duration]); };
    new PerformanceObserver(list => list.getEntries().forEach(note)).observe({ type: 'long-animation-frame' });
    const count = () => { here.__frames++; requestAnimationFrame(count); };
    requestAnimationFrame(count);
  });
  const now = (): Promise<number> => page.evaluate(() => performance.now());
  let frames = 0, moves = 0, begin = 0, end = 0;
  const spans = await recordTrace(client, async () => {
    const before = await page.evaluate(() => (window as unknown as Counted).__frames);
    const [x, y] = await findEmptyPlace(page, box);
    await page.mouse.move(x, y);
    begin = await now();
    await page.mouse.down();
    for (const last = Date.now() + PAN_MS; Date.now() < last; moves++) await page.mouse.move(x + 300 * Math.sin(moves / 20), y + 20 * Math.cos(moves / 20));
    await page.mouse.up();
    end = await now();
    frames = await page.evaluate(() => (window as unknown as Counted).__frames) - before;
  });
  const calls = new Map<string, number>();
  for (const span of spans) if (span.name === 'FunctionCall') calls.set(`${span.pid} ${span.tid}`, (calls.get(`${span.pid} ${span.tid}`) ?? 0) + 1);
  const [busiest = ''] = [...calls].sort((a, b) => b[1] - a[1])[0] ?? [];
  const main = spans.filter(span => `${span.pid} ${span.tid}` === busiest).sort((a, b) => a.ts - b.ts);
  let until = 0, script = 0, drawing = 0;
  for (const span of main) {
    if (SCRIPT.has(span.name) && span.ts >= until) {
      until = span.ts + (span.dur ?? 0);
      script += span.dur ?? 0;
    }
    if (DRAWING.includes(span.name)) drawing += span.dur ?? 0;
  }
  // Exclude long frames after the pan, such as those of a card that opens under the pointer.
  const all = await page.evaluate(() => (window as unknown as Counted).__long);
  const long = all.filter(([from, to]) => to > begin && from < end).length;
  const each = (us: number) => (us / 1_000 / Math.max(1, frames)).toFixed(2);
  console.log(`panning: script ${each(script)} ms a frame, drawing ${each(drawing)} ms, ${frames} frames, ${moves} moves, ${long} long frames, ${all.length - long} before and after`);
});
