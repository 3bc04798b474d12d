// Runs the table in one engine: one browser for each worker of the runner, and a new tab for each row.
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
import { openPage, expectGoodCatalogOpens, expectPlainWording, expectShown, type Row } from './row';

/// Declares the journeys of the whole table for an engine. A text as `start` is the reason to skip them.
export function declareJourneys(engine: string, start: (() => Promise<Engine>) | string): void {
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
  // Rows are distributed over the runner's workers: many wait for hosts that never
  // answer.
  test.describe.configure({ mode: 'parallel' });
  // A row takes a second or two; this limit is for a busy machine.
  test.setTimeout(180_000);

  // First, since they wait longest: the other rows fill the time of the other workers.
  test.describe(`${engine}: hosts`, () => {
    for (const { name, odd, staysUsable, expectBehaviour } of HOSTS) {
      test(`a host ${name}`, ({ browsers, dir }) => browsers.inATab(async tab => {
        const host = await startHost(odd);
        try {
          const input = fs.mkdtempSync(path.join(dir, 'input-'));
          await expectBehaviour(tab, host, input);
          await expectPlainWording(tab);
          if (!staysUsable) await openPage(tab, UNDER_A_PATH);
          await expectGoodCatalogOpens(tab, dir);
        } finally {
          await host.stop();
        }
      }));
    }
  });

  const table: [string, Row[]][] = [['archives', ARCHIVES], ['file names', FILE_NAMES], ['icons', ICONS], ['large input', LARGE]];
  for (const [what, rows] of table) {
    test.describe(`${engine}: ${what}`, () => {
      for (const row of rows) {
        test(row.name, async ({ browsers, dir }) => {
          const unsupported = (await browsers.engine()).unsupported[row.method];
          test.skip(unsupported !== undefined, unsupported);
          await browsers.inATab(async tab => {
            await openPage(tab, UNDER_A_PATH);
            const input = fs.mkdtempSync(path.join(dir, 'input-'));
            await tab.give(row.method, row.make(input));
            await expectShown(tab, row.shows);
            await expectPlainWording(tab);
            await row.alsoExpect?.(tab);
            await expectGoodCatalogOpens(tab, dir);
          });
        });
      }
    });
  }
}
