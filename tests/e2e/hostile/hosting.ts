// Hosts with peculiarities: the page runs anyway, or reports what it waits for.
import { expect } from '@playwright/test';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Tab } from '../engines/engine';
import { BUILT, type Host, type Oddity } from './host';
import { openPage, openWholePage, oneOperator, replaceOpenCatalog, expectShown } from './row';

export type Hosted = {
  name: string;
  odd: Oddity;
  /// Whether the host can still serve the page at the end; otherwise the final catalog is opened from a plain host.
  staysUsable: boolean;
  /// The expected behaviour of the page. `dir` is empty.
  expectBehaviour: (tab: Tab, host: Host, dir: string) => Promise<void>;
};

/// Enough files for every reader that an open starts.
async function openSeveral(tab: Tab, dir: string, name: string): Promise<void> {
  const operators = Array.from({ length: 6 }, (_, at) => `${name}-${at}-operator`);
  const files = operators.map(operator => path.join(dir, `${operator}.yaml`));
  operators.forEach((operator, at) => fs.writeFileSync(files[at]!, oneOperator(operator)));
  await tab.give('files', files);
  await replaceOpenCatalog(tab, operators[0]!);
  await expectShown(tab, { passes: operators });
}

const expectText = (tab: Tab, words: RegExp, timeout: number): Promise<void> =>
  expect.poll(() => tab.allText(), { timeout, intervals: [200, 500] }).toMatch(words);

export const HOSTS: Hosted[] = [
  {
    name: 'below another path that compresses everything and sends wasm as octet-stream',
    odd: { under: '/deep/in/a/site/', packed: true, wasmType: 'application/octet-stream' },
    staysUsable: true,
    expectBehaviour: async (tab, host, dir) => {
      await openPage(tab, host.url);
      await openSeveral(tab, dir, 'first');
    },
  },
  {
    name: 'that forbids caching, where another build is deployed between two opens',
    odd: { cacheControl: 'no-store' },
    staysUsable: true,
    expectBehaviour: async (tab, host, dir) => {
      await openPage(tab, host.url);
      await openSeveral(tab, dir, 'first');
      host.redeploy();
      await openSeveral(tab, dir, 'second');
    },
  },
  {
    name: 'where another build is deployed before the first open',
    odd: { cacheControl: 'no-store' },
    staysUsable: true,
    expectBehaviour: async (tab, host, dir) => {
      await openWholePage(tab, host.url);
      host.redeploy();
      await openSeveral(tab, dir, 'first');
    },
  },
  {
    name: 'that stops after the page is loaded',
    odd: { cacheControl: 'no-store' },
    staysUsable: true,
    expectBehaviour: async (tab, host, dir) => {
      await openWholePage(tab, host.url);
      await host.stop();
      await openSeveral(tab, dir, 'first');
    },
  },
  {
    name: 'that stops before the rest of the program is loaded',
    odd: { neverAnswers: /worker-.*\.wasm$/ },
    staysUsable: false,
    expectBehaviour: async (tab, host, dir) => {
      await openPage(tab, host.url);
      await host.stop();
      fs.writeFileSync(path.join(dir, 'late.yaml'), oneOperator('late-operator'));
      await tab.give('files', [path.join(dir, 'late.yaml')]);
      await expectText(tab, /rest of the program could not be loaded/i, 25_000);
    },
  },
  {
    name: 'that never answers for the wasm',
    odd: { neverAnswers: /\.wasm$/ },
    staysUsable: false,
    expectBehaviour: async (tab, host) => {
      await tab.open(host.url);
      await expectText(tab, /wait|loading|being loaded/i, 5_000);
      await expectText(tab, /host|server|network|connection/i, 25_000);
    },
  },
  {
    name: 'that never answers for the workers\' program',
    odd: { neverAnswers: /worker-.*\.wasm$/ },
    staysUsable: false,
    expectBehaviour: async (tab, host, dir) => {
      await tab.open(host.url);
      await expectText(tab, /loading the rest of the program/i, 5_000);
      fs.writeFileSync(path.join(dir, 'waiting.yaml'), oneOperator('waiting-operator'));
      await tab.give('files', [path.join(dir, 'waiting.yaml')]);
      await expectText(tab, /looking for files/i, 5_000);
      await tab.press('button', 'Cancel');
      await expectText(tab, /server does not answer/i, 25_000);
    },
  },
  {
    name: 'that has no boot.js',
    odd: { lacks: 'boot.js' },
    staysUsable: false,
    expectBehaviour: async (tab, host) => {
      await tab.open(host.url);
      await expectText(tab, /wait|loading|being loaded|not be started/i, 5_000);
    },
  },
  {
    name: 'that has no wasm',
    odd: { lacks: '.wasm' },
    staysUsable: false,
    expectBehaviour: async (tab, host) => {
      await tab.open(host.url);
      await expectText(tab, /not be started/i, 10_000);
      expect(await tab.allText()).not.toMatch(/crashed/);
    },
  },
  {
    name: 'that does not exist: the page is opened as a file',
    odd: {},
    staysUsable: false,
    expectBehaviour: async tab => {
      await tab.open(pathToFileURL(path.join(BUILT, 'index.html')).href);
      await expectText(tab, /needs a web server/i, 25_000);
      expect(await tab.allText()).toMatch(/http\.server|cargo dev serve|switchyard/i);
    },
  },
];
