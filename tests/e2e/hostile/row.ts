// A row of the table: an input, and what the page must show for it. Must not know any engine.
import { expect } from '@playwright/test';
import fs from 'node:fs';
import path from 'node:path';
import { inAChain, packageText } from '../catalogs';
import type { Tab, InputMethod } from '../engines/engine';
import { PASSES } from '../harness';

export type Row = {
  name: string;
  method: InputMethod;
  /// Writes the input into an empty folder; returns the paths to give to the page.
  make: (dir: string) => string[];
  shows: Shows;
  /// Further expectations, once `shows` holds.
  alsoExpect?: (tab: Tab) => Promise<void>;
};

export type Shows =
  /// Nothing is opened, and an alert gives these reasons.
  | { refused: RegExp[] }
  /// The catalog is opened, passes, and has these packages.
  | { passes: string[] }
  /// The catalog is opened, fails, and the problems contain these texts.
  | { fails: RegExp[] };

/// For a browser under load; without load these actions take half a second.
export const PATIENCE = { timeout: 45_000, intervals: [100, 200, 300] };

/// Opens the page and waits until it accepts files.
export async function openPage(tab: Tab, url: string): Promise<void> {
  await tab.open(url);
  await expect.poll(() => tab.hasProgram(), PATIENCE).toBe(true);
  await expect.poll(() => tab.texts('button', 'Open folder…'), PATIENCE).toHaveLength(1);
}

/// Like `openPage`, but waits until the page needs nothing more from its host.
export async function openWholePage(tab: Tab, url: string): Promise<void> {
  await openPage(tab, url);
  await expect.poll(() => tab.hasWholeProgram(), PATIENCE).toBe(true);
}

export async function expectShown(tab: Tab, shows: Shows): Promise<void> {
  if ('refused' in shows) {
    for (const reason of shows.refused) await expect.poll(() => alertTexts(tab), PATIENCE).toContainEqual(expect.stringMatching(reason));
    expect(await tab.texts('progressbar', 'Opening'), 'nothing is being opened any more').toEqual([]);
    return;
  }
  if ('fails' in shows) {
    await expectVerdict(tab, /^Fails opm validate/);
    // The expanded list shows the place of a problem; the collapsed bar does not.
    await expect(() => tab.press('tab', 'Problems')).toPass(PATIENCE);
    for (const text of shows.fails) await expect.poll(() => tab.texts('region', 'Problems'), PATIENCE).toEqual([expect.stringMatching(text)]);
    return;
  }
  await expectVerdict(tab, new RegExp(`^${PASSES}$`));
  for (const name of shows.passes)
    await expect.poll(() => tab.texts('list', 'Packages'), PATIENCE).toEqual([expect.stringContaining(name)]);
}

export const expectVerdict = (tab: Tab, words: RegExp): Promise<void> =>
  expect.poll(() => tab.texts('status', 'Verdict'), PATIENCE).toEqual([expect.stringMatching(words)]);

/// Replaces the open catalog, which the page asks to confirm, and waits for this package.
export const replaceOpenCatalog = (tab: Tab, operator: string): Promise<void> =>
  expect.poll(async () => {
    const hasReplaceButton = (await tab.texts('button', 'Replace')).length > 0;
    if (hasReplaceButton) await tab.press('button', 'Replace');
    return (await tab.texts('list', 'Packages')).join();
  }, PATIENCE).toContain(operator);

/// The texts of alerts, without empty live regions.
const alertTexts = async (tab: Tab): Promise<string[]> => (await tab.texts('alert')).map(text => text.trim()).filter(text => text !== '');

/// Internal messages of decoders and browsers, which do not help the user.
const RAW = /invalid leading UTF-8|failed to read entire block|unexpected end of file|EOCD|RuntimeError|NotReadableError/;
/// Bidirectional control characters, which make a name look like another one.
const TURNING = /[\u202a-\u202e\u2066-\u2069]/;

/// The page uses its own words (except for the messages of `opm` in the verdict), and every name is readable.
export async function expectPlainWording(tab: Tab): Promise<void> {
  expect([...await alertTexts(tab), ...await tab.texts('region', 'Problems')].join('\n')).not.toMatch(RAW);
  expect(await tab.allText()).not.toMatch(TURNING);
}

export const oneOperator = (name: string): string =>
  packageText(name, `example.org/${name}`, { stable: inAChain(['1.0.0', '1.1.0']) });

/// A good catalog opens after any input: it passes, and nothing of the previous state remains.
export async function expectGoodCatalogOpens(tab: Tab, dir: string): Promise<void> {
  const file = path.join(dir, 'good.yaml');
  fs.writeFileSync(file, oneOperator('good-operator'));
  await tab.give('files', [file]);
  await replaceOpenCatalog(tab, 'good-operator');
  await expectVerdict(tab, new RegExp(`^${PASSES}$`));
  expect(await alertTexts(tab)).toEqual([]);
}
