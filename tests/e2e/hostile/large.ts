// Files that are larger than any real one.
import { expect } from '@playwright/test';
import fs from 'node:fs';
import path from 'node:path';
import { PATIENCE, oneOperator, type Row } from './row';

const MB = 1 << 20;

const writeFile = (name: string, text: () => string): Row['make'] => dir => {
  const at = path.join(dir, name);
  fs.writeFileSync(at, text());
  return [at];
};

/// A name of 1 MB without spaces, of which the page shows only the beginning.
const LONG_NAME = 'x'.repeat(MB);

/// The widest that any element may be: about a thousand characters of a shortened name, with margin.
const WIDEST_PX = 50_000;

/// Browsers list folders one by one.
const FOLDERS = 1_000;

export const LARGE: Row[] = [
  {
    name: 'a folder of a thousand folders is opened',
    method: 'drop of a folder',
    make: dir => {
      for (let at = 0; at < FOLDERS; at++) {
        fs.mkdirSync(path.join(dir, 'many', `folder-${at}`), { recursive: true });
        fs.writeFileSync(path.join(dir, 'many', `folder-${at}`, 'catalog.yaml'), oneOperator(`operator-${at}`));
      }
      return [path.join(dir, 'many')];
    },
    shows: { passes: ['operator-0'] },
    alsoExpect: async tab => { expect(await tab.allText()).toMatch(/1\s?000 packages/); },
  },
  {
    name: 'a list of 70 MB is refused with its place and advice',
    method: 'files',
    make: writeFile('list.yaml', () => oneOperator('listing-operator').replace('entries:\n', `entries:\n${'  - name: listing-operator.v9.9.9\n'.repeat(70 * MB / 34)}`)),
    shows: { fails: [/(?=[^]*list\.yaml)(?=[^]*begins at byte \d+ is larger than 64 MB[^]*command line)/] },
  },
  {
    name: 'a channel name of 1 MB does not widen the page',
    method: 'files',
    make: writeFile('long.yaml', () => oneOperator('lengthy-operator').replaceAll('stable', LONG_NAME)),
    shows: { passes: ['lengthy-operator'] },
    alsoExpect: async tab => {
      await tab.press('listitem', 'lengthy-operator');
      await expect.poll(() => tab.texts('region', 'Upgrade graph of lengthy-operator'), PATIENCE).toHaveLength(1);
      expect(await tab.widest()).toBeLessThan(WIDEST_PX);
    },
  },
];
