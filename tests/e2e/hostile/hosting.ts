// Hosts that serve the page in their own way: it runs all the same, or says what it waits for.
import { expect } from '@playwright/test';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Tab } from '../engines/engine';
import { BUILT, type Host, type Oddity } from './host';
import { begin, beginWhole, oneOperator, replacing, shown } from './row';

export type Hosted = {
  name: string;
  odd: Oddity;
  /// Whether a catalog can be opened there at the end; else the page is opened from a plain host for that.
  runs: boolean;
  /// What the page does there. `dir` is empty.
  goes: (tab: Tab, host: Host, dir: string) => Promise<void>;
};

/// Files enough for every reader that is started with an open.
async function severalOpen(tab: Tab, dir: string, name: string): Promise<void> {
  const operators = Array.from({ length: 6 }, (_, at) => `${name}-${at}-operator`);
  const files = operators.map(operator => path.join(dir, `${operator}.yaml`));
  operators.forEach((operator, at) => fs.writeFileSync(files[at]!, oneOperator(operator)));
  await tab.give('files', files);
  await replacing(tab, operators[0]!);
  await shown(tab, { passes: operators });
}

const says = (tab: Tab, words: RegExp, timeout: number): Promise<void> =>
  expect.poll(() => tab.allText(), { timeout, intervals: [200, 500] }).toMatch(words);

const runsAsEver = async (tab: Tab, host: Host, dir: string): Promise<void> => {
  await begin(tab, host.url);
  await severalOpen(tab, dir, 'first');
};

export const HOSTS: Hosted[] = [
  { name: 'below another path', odd: { under: '/deep/in/a/site/' }, runs: true, goes: runsAsEver },
  { name: 'that sends wasm as bytes of no kind', odd: { wasmType: 'application/octet-stream' }, runs: true, goes: runsAsEver },
  { name: 'that sends everything packed', odd: { packed: true, wasmType: 'application/octet-stream' }, runs: true, goes: runsAsEver },
  { name: 'that lets nothing be kept', odd: { cacheControl: 'no-store' }, runs: true, goes: runsAsEver },
  {
    name: 'where another build came between two opens',
    odd: { cacheControl: 'no-store' },
    runs: true,
    goes: async (tab, host, dir) => {
      await begin(tab, host.url);
      await severalOpen(tab, dir, 'first');
      host.redeploy();
      await severalOpen(tab, dir, 'second');
    },
  },
  {
    name: 'where another build came before the first open',
    odd: { cacheControl: 'no-store' },
    runs: true,
    goes: async (tab, host, dir) => {
      await beginWhole(tab, host.url);
      host.redeploy();
      await severalOpen(tab, dir, 'first');
    },
  },
  {
    name: 'that is gone after the page is there',
    odd: { cacheControl: 'no-store' },
    runs: true,
    goes: async (tab, host, dir) => {
      await beginWhole(tab, host.url);
      await host.stop();
      await severalOpen(tab, dir, 'first');
    },
  },
  {
    name: 'that is gone before the rest of the program is there',
    odd: { neverAnswers: /worker-.*\.wasm$/ },
    runs: false,
    goes: async (tab, host, dir) => {
      await begin(tab, host.url);
      await host.stop();
      fs.writeFileSync(path.join(dir, 'late.yaml'), oneOperator('late-operator'));
      await tab.give('files', [path.join(dir, 'late.yaml')]);
      await says(tab, /rest of the program could not be loaded/i, 25_000);
    },
  },
  {
    name: 'that never answers for the wasm',
    odd: { neverAnswers: /\.wasm$/ },
    runs: false,
    goes: async (tab, host) => {
      await tab.open(host.url);
      await says(tab, /wait|loading|being loaded/i, 5_000);
      await says(tab, /host|server|network|connection/i, 25_000);
    },
  },
  {
    name: 'that never answers for the program of the workers',
    odd: { neverAnswers: /worker-.*\.wasm$/ },
    runs: false,
    goes: async (tab, host, dir) => {
      await tab.open(host.url);
      await says(tab, /loading the rest of the program/i, 5_000);
      fs.writeFileSync(path.join(dir, 'waiting.yaml'), oneOperator('waiting-operator'));
      await tab.give('files', [path.join(dir, 'waiting.yaml')]);
      await says(tab, /looking for files/i, 5_000);
      await tab.press('button', 'Cancel');
      await says(tab, /server does not answer/i, 25_000);
    },
  },
  {
    name: 'that has no boot.js',
    odd: { lacks: 'boot.js' },
    runs: false,
    goes: async (tab, host) => {
      await tab.open(host.url);
      await says(tab, /wait|loading|being loaded|not be started/i, 5_000);
    },
  },
  {
    name: 'that has no wasm',
    odd: { lacks: '.wasm' },
    runs: false,
    goes: async (tab, host) => {
      await tab.open(host.url);
      await says(tab, /not be started/i, 10_000);
      expect(await tab.allText()).not.toMatch(/crashed/);
    },
  },
  {
    name: 'that is none: the page is opened as a file',
    odd: {},
    runs: false,
    goes: async tab => {
      await tab.open(pathToFileURL(path.join(BUILT, 'index.html')).href);
      await says(tab, /needs a web server/i, 25_000);
      expect(await tab.allText()).toMatch(/http\.server|cargo dev serve|switchyard/i);
    },
  },
];
