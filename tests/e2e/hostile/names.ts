// File names that a disk or an archive may hold, and that somebody may take for something else.
import fs from 'node:fs';
import path from 'node:path';
import { tar } from '../pack';
import { oneOperator, type Row } from './row';

type Named = { what: string; file: string; operator: string };

const NAMES: Named[] = [
  { what: 'quotes', file: `it's "quoted".yaml`, operator: 'quotes-operator' },
  { what: 'a colon', file: 'with: colon.yaml', operator: 'colon-operator' },
  { what: 'a backslash', file: 'back\\slash.yaml', operator: 'backslash-operator' },
  { what: 'a line break', file: 'broken\nline.yaml', operator: 'line-operator' },
  { what: 'leading dots', file: '..dots.yaml', operator: 'dots-operator' },
  { what: 'a bidirectional override', file: 'safe\u202egpj.yaml', operator: 'bidi-operator' },
  { what: 'emoji', file: '🚂🛤️.yaml', operator: 'emoji-operator' },
];

/// Two names that are one for somebody who normalizes, or does not care for case.
const PAIRS: Named[] = [
  { what: 'composed', file: 'caf\u00e9.yaml', operator: 'composed-operator' },
  { what: 'decomposed', file: 'cafe\u0301.yaml', operator: 'decomposed-operator' },
  { what: 'upper case', file: 'Case.yaml', operator: 'upper-operator' },
  { what: 'lower case', file: 'case.yaml', operator: 'lower-operator' },
];

const write = (dir: string, named: Named[]): string[] => named.map(({ file, operator }) => {
  const at = path.join(dir, file);
  fs.writeFileSync(at, oneOperator(operator));
  return at;
});

const inFolder = (dir: string, named: Named[]): string[] => {
  const folder = path.join(dir, 'catalog');
  fs.mkdirSync(folder);
  write(folder, named);
  return [folder];
};

const inTar = (dir: string, named: Named[]): string[] => {
  const at = path.join(dir, 'catalog.tar');
  fs.writeFileSync(at, tar(named.map(({ file, operator }) => ({ name: file, bytes: Buffer.from(oneOperator(operator)) }))));
  return [at];
};

const operators = (named: Named[]): string[] => named.map(({ operator }) => operator);
const LONG: Named = { what: '300 characters', file: `${'n'.repeat(295)}.yaml`, operator: 'long-operator' };
const ALL = [...NAMES, ...PAIRS];

/// What somebody reads of a name: each run of letters, in its order.
const asRead = (file: string): RegExp => new RegExp((file.match(/[\p{L}\p{M}\p{Emoji_Presentation}]+/gu) ?? []).join('[^]*'), 'u');

/// A catalog with one error: the problem names its file.
const errorShown = ({ what, file }: Named): Row => ({
  name: `a file name with ${what} is shown as it can be read`,
  way: 'files',
  make: dir => {
    const at = path.join(dir, file);
    fs.writeFileSync(at, oneOperator('wrong-operator').replace('replaces: wrong-operator.v1.0.0', 'replaces: wrong-operator.v1.1.0'));
    return [at];
  },
  shows: { fails: asRead(file) },
});

export const FILE_NAMES: Row[] = [
  ...NAMES.map(errorShown),
  { name: 'every odd file name among files is opened', way: 'files', make: dir => write(dir, ALL), shows: { passes: operators(ALL) } },
  { name: 'every odd file name in a folder is opened', way: 'folder', make: dir => inFolder(dir, ALL), shows: { passes: operators(ALL) } },
  { name: 'every odd file name in a dropped folder is opened', way: 'drop of a folder', make: dir => inFolder(dir, ALL), shows: { passes: operators(ALL) } },
  { name: 'every odd file name in a tar is opened', way: 'files', make: dir => inTar(dir, [...ALL, LONG]), shows: { passes: operators([...ALL, LONG]) } },
];
