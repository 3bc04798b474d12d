// File names that disks and archives allow but that are easily misread.
import fs from 'node:fs';
import path from 'node:path';
import { tar } from '../pack';
import { oneOperator, type Row } from './row';

type Named = { file: string; operator: string };

const NAMES: Named[] = [
  { file: `it's "quoted".yaml`, operator: 'quotes-operator' },
  { file: 'with: colon.yaml', operator: 'colon-operator' },
  { file: 'back\\slash.yaml', operator: 'backslash-operator' },
  { file: 'broken\nline.yaml', operator: 'line-operator' },
  { file: '..dots.yaml', operator: 'dots-operator' },
  { file: 'safe\u202egpj.yaml', operator: 'bidi-operator' },
  { file: '🚂🛤️.yaml', operator: 'emoji-operator' },
];

/// Names that become equal after Unicode normalization or case folding.
const PAIRS: Named[] = [
  { file: 'caf\u00e9.yaml', operator: 'composed-operator' },
  { file: 'cafe\u0301.yaml', operator: 'decomposed-operator' },
  { file: 'Case.yaml', operator: 'upper-operator' },
  { file: 'case.yaml', operator: 'lower-operator' },
];

const write = (dir: string, named: Named[], text = oneOperator): string[] => named.map(({ file, operator }) => {
  const at = path.join(dir, file);
  fs.writeFileSync(at, text(operator));
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
const LONG: Named = { file: `${'n'.repeat(295)}.yaml`, operator: 'long-operator' };
const ALL = [...NAMES, ...PAIRS];

/// The readable part of a name: its runs of letters, in order.
const readablePattern = (file: string): RegExp => new RegExp((file.match(/[\p{L}\p{M}\p{Emoji_Presentation}]+/gu) ?? []).join('[^]*'), 'u');

/// A package with one error, whose problem names its file.
const withError = (operator: string): string =>
  oneOperator(operator).replace(`replaces: ${operator}.v1.0.0`, `replaces: ${operator}.v1.1.0`);

export const FILE_NAMES: Row[] = [
  {
    name: 'unusual file names are shown readably',
    method: 'files',
    make: dir => write(dir, NAMES, withError),
    shows: { fails: NAMES.map(({ file }) => readablePattern(file)) },
  },
  { name: 'files with unusual names are opened', method: 'files', make: dir => write(dir, ALL), shows: { passes: operators(ALL) } },
  { name: 'a folder with unusual file names is opened', method: 'folder', make: dir => inFolder(dir, ALL), shows: { passes: operators(ALL) } },
  { name: 'a dropped folder with unusual file names is opened', method: 'drop of a folder', make: dir => inFolder(dir, ALL), shows: { passes: operators(ALL) } },
  { name: 'a tar with unusual file names is opened', method: 'files', make: dir => inTar(dir, [...ALL, LONG]), shows: { passes: operators([...ALL, LONG]) } },
];
