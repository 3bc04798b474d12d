// Files that are larger than anybody needs.
import fs from 'node:fs';
import path from 'node:path';
import { oneOperator, type Row } from './row';

const MB = 1 << 20;

const written = (name: string, text: () => string): Row['make'] => dir => {
  const at = path.join(dir, name);
  fs.writeFileSync(at, text());
  return [at];
};

export const LARGE: Row[] = [
  {
    name: 'a list of 70 MB is refused with its place and what to do',
    way: 'files',
    make: written('list.yaml', () => oneOperator('listing-operator').replace('entries:\n', `entries:\n${'  - name: listing-operator.v9.9.9\n'.repeat(70 * MB / 34)}`)),
    shows: { fails: /(?=[^]*list\.yaml)(?=[^]*begins at byte \d+ has more than 64 MB[^]*command line)/ },
  },
];
