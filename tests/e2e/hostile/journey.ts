// The table, row by row, in one engine: one browser for each of the runner's workers, a tab of its own for each row.
import { test as base } from '@playwright/test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Browsers } from '../engines/browsers';
import type { Engine } from '../engines/engine';
import { UNDER_A_PATH } from '../harness';
import { ARCHIVES } from './archives';
import { startHost } from './host';
import { HOSTS } from './hosting';
import { ICONS } from './icons';
import { LARGE } from './large';
import { FILE_NAMES } from './names';
import { begin, goodOneOpens, plainlyWorded, shown, type Row } from './row';

/// Makes the journeys of the whole table, named by the engine. `start` is the reason to skip them where there is none.
export function journeysIn(engine: string, start: (() => Promise<Engine>) | string): void {
  const test = base.extend<{ dir: string }, { browsers: Browsers }>({
    browsers: [async ({}, use) => {
      if (typeof start === 'string') throw new Error(start);
      const browsers = new Browsers(start);
      await browsers.engine();
      await use(browsers);
      await browsers.end();
    }, { scope: 'worker', timeout: 120_000 }],
    dir: async ({}, use) => {
      const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-hostile-'));
      await use(dir);
      fs.rmSync(dir, { recursive: true, force: true });
    },
  });

  test.skip(typeof start === 'string', String(start));
  // A row is begun again by itself, in the tab that it has. Rows are shared among the runner's workers: many wait for hosts
  // that never answer.
  test.describe.configure({ retries: 0, mode: 'parallel' });
  // A row takes a second or two; this is for a machine that does much else.
  test.setTimeout(180_000);

  const table: [string, Row[]][] = [['archives', ARCHIVES], ['file names', FILE_NAMES], ['icons', ICONS], ['what is large', LARGE]];
  for (const [what, rows] of table) {
    test.describe(`${engine}: ${what}`, () => {
      for (const row of rows) {
        test(row.name, async ({ browsers, dir }) => {
          const cannot = (await browsers.engine()).cannot[row.way];
          test.skip(cannot !== undefined, cannot);
          await browsers.inATab(async tab => {
            await begin(tab, UNDER_A_PATH);
            const input = fs.mkdtempSync(path.join(dir, 'input-'));
            await tab.give(row.way, row.make(input));
            await shown(tab, row.shows);
            await plainlyWorded(tab);
            await row.besides?.(tab);
            await goodOneOpens(tab, dir);
          });
        });
      }
    });
  }

  test.describe(`${engine}: hosts`, () => {
    for (const { name, odd, runs, goes } of HOSTS) {
      test(`a host ${name}`, ({ browsers, dir }) => browsers.inATab(async tab => {
        const host = await startHost(odd);
        try {
          const input = fs.mkdtempSync(path.join(dir, 'input-'));
          await goes(tab, host, input);
          await plainlyWorded(tab);
          if (!runs) await begin(tab, UNDER_A_PATH);
          await goodOneOpens(tab, dir);
        } finally {
          await host.stop();
        }
      }));
    }
  });
}
