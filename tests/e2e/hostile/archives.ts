// Archives that are refused, and files whose content does not match their extension.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { tar, tarMember, zip } from '../pack';
import { oneOperator, type Row } from './row';

const MB = 1 << 20;
const CATALOG = Buffer.from(oneOperator('inside-operator'));

/// Deterministic pseudo-random bytes.
function randomBytes(count: number): Buffer {
  let state = 1;
  return Buffer.from(Array.from({ length: count }, () => (state = (state * 48271) % 0x7fffffff) & 0xff));
}

type Archive = { name: string; bytes: () => Buffer; why: RegExp };

const writeFiles = (files: Pick<Archive, 'name' | 'bytes'>[]): Row['make'] => dir => files.map(({ name, bytes }) => {
  const at = path.join(dir, name);
  fs.writeFileSync(at, bytes());
  return at;
});

/// The reason for one archive: the alert has a sentence for each.
const refusalPattern = ({ name, why }: Archive): RegExp =>
  new RegExp(`${name.replaceAll('.', '\\.')}\`? was not opened: (?:(?!was not opened).)*(?:${why.source})`, 'is');

/// Only the first bytes identify a format; the rest need not be valid.
const startingWith = (...first: number[]) => (): Buffer => Buffer.concat([Buffer.from(first), randomBytes(600)]);
const HTML = '<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body>Please sign in.</body></html>\n';
const bomb = (): Buffer => zip([{ name: 'catalog.yaml', bytes: Buffer.alloc(80 * MB) }]);

const REFUSED: Archive[] = [
  // It unpacks to a thousand times its size.
  { name: 'bomb.zip', bytes: bomb, why: /more than 200 times its size/ },
  { name: 'many.zip', bytes: () => zip(Array.from({ length: 100_001 }, (_, at) => ({ name: `${at}.yaml` }))), why: /more than 100,?000 files/ },
  {
    name: 'cut.zip',
    bytes: () => {
      const whole = zip([{ name: 'catalog.yaml', bytes: CATALOG }]);
      return whole.subarray(0, whole.length - 60);
    },
    why: /it is cut off/,
  },
  { name: 'out.zip', bytes: () => zip([{ name: '../../outside.yaml', bytes: CATALOG }]), why: /leads out of it: `?\.\.\/\.\.\/outside\.yaml/ },
  { name: 'absolute.zip', bytes: () => zip([{ name: '/etc/catalog.yaml', bytes: CATALOG }]), why: /leads out of it: `?\/etc\/catalog\.yaml/ },
  { name: 'secret.zip', bytes: () => zip([{ name: 'catalog.yaml', bytes: CATALOG, isEncrypted: true }]), why: /it is protected with a password/ },
  // Its member claims eight gigabytes.
  {
    name: 'claims.tar',
    bytes: () => Buffer.concat([tarMember({ name: 'catalog.yaml', bytes: CATALOG, size: 0o77777777777 }), Buffer.alloc(1024)]),
    why: /more than 1,?024 MB in one file|cut off/,
  },
  { name: 'name.tar', bytes: () => tar([{ name: 'n'.repeat(16 * MB), bytes: CATALOG }]), why: /in the name of one file/ },
  { name: 'short.tar', bytes: () => tar([{ name: 'catalog.yaml', bytes: CATALOG }]).subarray(0, 700), why: /it is cut off/ },
  { name: 'junk.tar.gz', bytes: () => zlib.gzipSync(randomBytes(4_000)), why: /not a tar/ },
  { name: 'page.zip', bytes: () => Buffer.from(HTML), why: /it is an HTML page/ },
  { name: 'first.yaml.xz', bytes: startingWith(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0), why: /it is an xz file, [^.]*unpack it/ },
  { name: 'second.yaml.zst', bytes: startingWith(0x28, 0xb5, 0x2f, 0xfd), why: /it is a zstd file, [^.]*unpack it/ },
  { name: 'third.yaml.bz2', bytes: startingWith(0x42, 0x5a, 0x68, 0x39, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59), why: /it is a bzip2 file, [^.]*unpack it/ },
];

const DROPPED: Archive = { name: 'dropped.zip', bytes: bomb, why: /more than 200 times its size/ };

export const ARCHIVES: Row[] = [
  { name: 'bombs, damaged archives and other file types are refused', method: 'files', make: writeFiles(REFUSED), shows: { refused: REFUSED.map(refusalPattern) } },
  { name: 'a bomb that is dropped is refused', method: 'drop', make: writeFiles([DROPPED]), shows: { refused: [refusalPattern(DROPPED)] } },
  {
    name: 'pictures and documents as catalogs fail as what they are',
    method: 'files',
    make: writeFiles([
      { name: 'catalog.yaml', bytes: startingWith(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a) },
      { name: 'catalog.json', bytes: () => Buffer.concat([Buffer.from('%PDF-1.7\n%'), randomBytes(600)]) },
    ]),
    shows: { fails: [/PNG/, /PDF/] },
  },
];
