// File names that disks and archives allow but that are easily misread.
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

/// Names that become equal after Unicode normalization or case folding.
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

/// The readable part of a name: its runs of letters, in order.
const readablePattern = (file: string): RegExp => new RegExp((file.match(/[\p{L}\p{M}\p{Emoji_Presentation}]+/gu) ?? []).join('[^]*'), 'u');

/// A catalog with one error, whose problem names its file.
const errorRow = ({ what, file }: Named): Row => ({
  name: `a file name with ${what} is shown readably`,
  method: 'files',
  make: dir => {
    const at = path.join(dir, file);
    fs.writeFileSync(at, oneOperator('wrong-operator').replace('replaces: wrong-operator.v1.0.0', 'replaces: wrong-operator.v1.1.0'));
    return [at];
  },
  shows: { fails: readablePattern(file) },
});

export const FILE_NAMES: Row[] = [
  ...NAMES.map(errorRow),
  { name: 'files with unusual names are opened', method: 'files', make: dir => write(dir, ALL), shows: { passes: operators(ALL) } },
  { name: 'a folder with unusual file names is opened', method: 'folder', make: dir => inFolder(dir, ALL), shows: { passes: operators(ALL) } },
  { name: 'a dropped folder with unusual file names is opened', method: 'drop of a folder', make: dir => inFolder(dir, ALL), shows: { passes: operators(ALL) } },
  { name: 'a tar with unusual file names is opened', method: 'files', make: dir => inTar(dir, [...ALL, LONG]), shows: { passes: operators([...ALL, LONG]) } },
];
