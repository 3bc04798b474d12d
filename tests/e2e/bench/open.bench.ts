// From the drop of a catalog to its graph and to its complete verdict, in a fresh profile after two seconds on the
// start page, and on later visits. Also measures the bare reading of the same files in the same tab, and the memory
// of the page's process and of the page. `SWITCHYARD_BENCH_CATALOGS` names a folder with one catalog per subfolder
// and `catalogs.json`, an array with a name, a folder and a size for each. Numbers are printed, never asserted.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type BrowserContext, type Page, chromium } from '@playwright/test';
import { ARGS, UNDER_A_PATH, drop, expect, test, verdict } from '../harness';
import { pageMemory } from '../page_memory';
import { privateBytes } from './memory';
import { writeSmallCatalog } from './small';

const COUNT = Number(process.env.SWITCHYARD_BENCH_COUNT ?? 3);
const FOLDER = process.env.SWITCHYARD_BENCH_CATALOGS;

type Catalog = { name: string; folder: string; bytes: number };
type Watched = Window & { __open?: { dropped?: number; lanes?: number; verdict?: number } };
type Visit = { lanes: number; verdict: number; before: number; after: number; page: number };

const median = (of: number[]): number => [...of].sort((a, b) => a - b)[Math.floor(of.length / 2)] ?? NaN;

async function visit(context: BrowserContext, folder: string): Promise<Visit> {
  const page = await context.newPage();
  for (const other of context.pages()) if (other !== page) await other.close();
  await page.goto(UNDER_A_PATH);
  await expect(page.locator('#boot')).toHaveCount(0, { timeout: 60_000 });
  await page.waitForTimeout(2_000); // The visitor reads the start page.
  const before = privateBytes();
  await page.evaluate(() => {
    const seen: NonNullable<Watched['__open']> = {};
    (window as Watched).__open = seen;
    addEventListener('drop', event => { seen.dropped = event.timeStamp; }, { capture: true });
    const look = () => {
      if (seen.dropped !== undefined) {
        if (document.querySelector('[aria-label^="Upgrade graph of "] [role=button]')) seen.lanes ??= performance.now();
        if (/(Passes|Fails) opm validate/.test(document.querySelector('[role=status][aria-label=Verdict]')?.textContent ?? '')) seen.verdict ??= performance.now();
      }
      if (seen.verdict === undefined || seen.lanes === undefined) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await drop(page, [folder]);
  await expect(verdict(page)).toHaveText(/(Passes|Fails) opm validate/, { timeout: 120_000 });
  const times = () => page.evaluate(() => (window as Watched).__open ?? {});
  await expect.poll(async () => (await times()).lanes ?? 0, { timeout: 30_000 }).toBeGreaterThan(0);
  const { dropped = NaN, lanes = NaN, verdict: verdictAt = NaN } = await times();
  const after = privateBytes();
  return { lanes: lanes - dropped, verdict: verdictAt - dropped, before, after, page: await pageMemory(page) };
}

/// How long the tab takes only to read these files, two at a time.
async function bareReading(page: Page, folder: string): Promise<number> {
  await page.setContent('<input type=file webkitdirectory>');
  await page.locator('input').setInputFiles(folder);
  return page.evaluate(async () => {
    const files = [...document.querySelector('input')?.files ?? []];
    const startedAt = performance.now();
    const lane = async () => { for (let file = files.pop(); file; file = files.pop()) await file.arrayBuffer(); };
    await Promise.all([lane(), lane()]);
    return performance.now() - startedAt;
  });
}

async function inProfile<T>(profile: string, work: (context: BrowserContext) => Promise<T>): Promise<T> {
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.SWITCHYARD_CHROMIUM ?? '/usr/bin/chromium', args: ARGS, viewport: { width: 1440, height: 900 },
  });
  try {
    return await work(context);
  } finally {
    await context.close();
  }
}

test('from the drop to the verdict', async () => {
  test.skip(!FOLDER, 'SWITCHYARD_BENCH_CATALOGS is not set');
  test.setTimeout(3_600_000);
  const large = JSON.parse(fs.readFileSync(path.join(FOLDER ?? '', 'catalogs.json'), 'utf8')) as Catalog[];
  const catalogs = [{ name: 'small', folder: writeSmallCatalog(), bytes: 70_000 }, ...large];
  for (const { name, folder, bytes } of catalogs) {
    const first: Visit[] = [], later: Visit[] = [], bare: number[] = [];
    for (let n = 0; n < COUNT; n += 1) {
      const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-open-'));
      first.push(await inProfile(profile, context => visit(context, folder)));
      // During this unmeasured visit the browser compiles in the background and keeps the result for the next.
      await inProfile(profile, context => visit(context, folder));
      later.push(await inProfile(profile, context => visit(context, folder)));
      bare.push(await inProfile(profile, async context => bareReading(await context.newPage(), folder)));
      fs.rmSync(profile, { recursive: true, force: true });
    }
    const formatTimes = (of: Visit[]) => `the graph ${median(of.map(at => at.lanes)).toFixed(0)} ms, verdict ${median(of.map(at => at.verdict)).toFixed(0)} ms`;
    const megabytes = (of: number[]) => (median(of) / 1e6).toFixed(0);
    console.log(`${name} (${(bytes / 1e6).toFixed(1)} MB), first visit: ${formatTimes(first)}`);
    console.log(`${name}, later visit: ${formatTimes(later)}`);
    console.log(`${name}, bare reading: ${median(bare).toFixed(0)} ms`);
    console.log(`${name}, the page's process: ${megabytes(later.map(at => at.before))} MB before, ${megabytes(later.map(at => at.after))} MB with the catalog; of it the page itself ${megabytes(later.map(at => at.page))} MB`);
  }
});
