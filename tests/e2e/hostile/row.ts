// A row of the table: what somebody may give the page, and what the page then has to show. It knows no engine.
import { expect } from '@playwright/test';
import fs from 'node:fs';
import path from 'node:path';
import { inAChain, packageText } from '../catalogs';
import type { Tab, Way } from '../engines/engine';
import { PASSES } from '../harness';

export type Row = {
  name: string;
  way: Way;
  /// Makes it in a folder that is empty; gives the paths that are handed over.
  make: (dir: string) => string[];
  shows: Shows;
  /// What holds besides, once that is shown.
  besides?: (tab: Tab) => Promise<void>;
};

export type Shows =
  /// Nothing is opened, and an alert says why.
  | { refused: RegExp }
  /// It is opened, passes, and has these packages.
  | { passes: string[] }
  /// It is opened, fails, and a problem says this.
  | { fails: RegExp };

/// The time that a browser under load may take for what it does in half a second when it is not.
export const PATIENCE = { timeout: 45_000, intervals: [100, 200, 300] };

/// The page, ready to be given something.
export async function begin(tab: Tab, url: string): Promise<void> {
  await tab.open(url);
  await expect.poll(() => tab.hasProgram(), PATIENCE).toBe(true);
  await expect.poll(() => tab.texts('button', 'Open folder…'), PATIENCE).toHaveLength(1);
}

/// The same, with all that it will ever ask its host for.
export async function beginWhole(tab: Tab, url: string): Promise<void> {
  await begin(tab, url);
  await expect.poll(() => tab.hasWholeProgram(), PATIENCE).toBe(true);
}

export async function shown(tab: Tab, shows: Shows): Promise<void> {
  if ('refused' in shows) {
    await expect.poll(() => alerts(tab), PATIENCE).toContainEqual(expect.stringMatching(shows.refused));
    expect(await tab.texts('progressbar', 'Opening'), 'nothing is being opened any more').toEqual([]);
    return;
  }
  if ('fails' in shows) {
    await verdictIs(tab, /^Fails opm validate/);
    // The list says where a problem is; put away, it is one row without a place.
    await expect(() => tab.press('tab', 'Problems')).toPass(PATIENCE);
    await expect.poll(() => tab.texts('region', 'Problems'), PATIENCE).toEqual([expect.stringMatching(shows.fails)]);
    return;
  }
  await verdictIs(tab, new RegExp(`^${PASSES}$`));
  for (const name of shows.passes)
    await expect.poll(() => tab.texts('list', 'Packages'), PATIENCE).toEqual([expect.stringContaining(name)]);
}

export const verdictIs = (tab: Tab, words: RegExp): Promise<void> =>
  expect.poll(() => tab.texts('status', 'Verdict'), PATIENCE).toEqual([expect.stringMatching(words)]);

/// What was just given takes the place of what is open, about which the page asks first, and has this package.
export const replacing = (tab: Tab, operator: string): Promise<void> =>
  expect.poll(async () => {
    const asks = (await tab.texts('button', 'Replace')).length > 0;
    if (asks) await tab.press('button', 'Replace');
    return (await tab.texts('list', 'Packages')).join();
  }, PATIENCE).toContain(operator);

/// What alerts say; a region that waits for something to say is none.
const alerts = async (tab: Tab): Promise<string[]> => (await tab.texts('alert')).map(text => text.trim()).filter(text => text !== '');

/// What decoders and the browser say among themselves, and helps nobody who gave a file.
const RAW = /invalid leading UTF-8|failed to read entire block|unexpected end of file|EOCD|RuntimeError|NotReadableError/;
/// What turns the text around it around, so that a name is read as another.
const TURNING = /[\u202a-\u202e\u2066-\u2069]/;

/// What the page says is in our own words (but for `opm`'s own, which the verdict quotes), and every name can be read.
export async function plainlyWorded(tab: Tab): Promise<void> {
  expect([...await alerts(tab), ...await tab.texts('region', 'Problems')].join('\n')).not.toMatch(RAW);
  expect(await tab.allText()).not.toMatch(TURNING);
}

export const oneOperator = (name: string): string =>
  packageText(name, `example.org/${name}`, { stable: inAChain(['1.0.0', '1.1.0']) });

/// After whatever came before, a good catalog is opened: it passes, and nothing is left of what was shown before.
export async function goodOneOpens(tab: Tab, dir: string): Promise<void> {
  const file = path.join(dir, 'good.yaml');
  fs.writeFileSync(file, oneOperator('good-operator'));
  await tab.give('files', [file]);
  await replacing(tab, 'good-operator');
  await verdictIs(tab, new RegExp(`^${PASSES}$`));
  expect(await alerts(tab)).toEqual([]);
}
