// How long a repository as large as the public one takes to appear: 80,000 files, of which only names are listed; an
// operator's files are read when it is in view. Also the private memory of the page's process. Numbers are printed,
// never asserted.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { HERE, drop, expect, start, test } from '../harness';
import { privateBytes } from './memory';
import { reportTimes } from './report';

const COUNT = Number(process.env.SWITCHYARD_BENCH_COUNT ?? 3);
const OPERATORS = 480;
const FILES = 80_000;

/// Copies the operator of our small repository, with additional files in each copy up to the total.
function writeRepository(): string {
  const top = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-large-')), 'community-operators');
  const one = path.resolve(HERE, '../data/repository');
  fs.cpSync(one, top, { recursive: true });
  const catalogs = fs.readdirSync(path.join(top, 'catalogs')).filter(name => fs.existsSync(path.join(top, 'catalogs', name, 'harbor')));
  for (let at = 0; at < OPERATORS; at++) {
    const name = `harbor-${at}`;
    const operator = path.join(top, 'operators', name);
    fs.cpSync(path.join(top, 'operators/harbor'), operator, { recursive: true });
    for (const catalog of catalogs) fs.cpSync(path.join(top, 'catalogs', catalog, 'harbor'), path.join(top, 'catalogs', catalog, name), { recursive: true });
    const manifests = path.join(operator, '0.0.1/manifests');
    fs.mkdirSync(manifests, { recursive: true });
    for (let file = 0; file < FILES / OPERATORS; file++) fs.writeFileSync(path.join(manifests, `object-${file}.yaml`), `kind: Other\nname: o${file}\n`);
  }
  return top;
}

test('a repository of 80,000 files', async ({ page }) => {
  test.setTimeout(900_000);
  const dir = writeRepository();
  const tables: number[] = [], verdicts: number[] = [];
  let most = 0;
  for (let n = 0; n < COUNT; n++) {
    await start(page);
    const startedAt = Date.now();
    await drop(page, [dir]);
    const grid = page.getByRole('grid', { name: 'Operators and catalogs' });
    await expect(grid).toBeVisible({ timeout: 120_000 });
    tables.push(Date.now() - startedAt);
    most = Math.max(most, privateBytes());
    await expect(grid.getByRole('button', { name: /opm validate/ }).first()).toBeVisible({ timeout: 120_000 });
    verdicts.push(Date.now() - startedAt);
    await page.reload();
  }
  reportTimes('repository of 80,000 files: from the drop to its table', tables);
  reportTimes('repository of 80,000 files: from the drop to the first verdict', verdicts);
  if (most > 0) console.log(`repository of 80,000 files: the page's process holds ${(most / 1e6).toFixed(0)} MB of its own with the table`);
  fs.rmSync(path.dirname(dir), { recursive: true, force: true });
});
