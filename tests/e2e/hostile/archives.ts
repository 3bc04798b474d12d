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

const file = (name: string, bytes: () => Buffer): Row['make'] => dir => {
  const at = path.join(dir, name);
  fs.writeFileSync(at, bytes());
  return [at];
};

const refusedRow = (what: string, name: string, bytes: () => Buffer, why: RegExp): Row => ({
  name: `${what} is refused`,
  method: 'files',
  make: file(name, bytes),
  shows: { refused: new RegExp(`${name.replaceAll('.', '\\.')}\`? was not opened: .*(?:${why.source})`, 'is') },
});

const failingRow = (what: string, name: string, bytes: () => Buffer, why: RegExp): Row => ({
  name: `${what} as a catalog fails as what it is`,
  method: 'files',
  make: file(name, bytes),
  shows: { fails: why },
});

/// Only the first bytes identify a format; the rest need not be valid.
const startingWith = (...first: number[]) => (): Buffer => Buffer.concat([Buffer.from(first), randomBytes(600)]);
const HTML = '<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body>Please sign in.</body></html>\n';

export const ARCHIVES: Row[] = [
  refusedRow('a zip that unpacks to a thousand times its size', 'bomb.zip',
    () => zip([{ name: 'catalog.yaml', bytes: Buffer.alloc(80 * MB) }]), /more than 200 times its size/),
  refusedRow('a zip of a hundred thousand files', 'many.zip',
    () => zip(Array.from({ length: 100_001 }, (_, at) => ({ name: `${at}.yaml` }))), /more than 100,?000 files/),
  refusedRow('a zip that is cut off', 'cut.zip', () => {
    const whole = zip([{ name: 'catalog.yaml', bytes: CATALOG }]);
    return whole.subarray(0, whole.length - 60);
  }, /it is cut off/),
  refusedRow('a zip with a path that leads out', 'out.zip',
    () => zip([{ name: '../../outside.yaml', bytes: CATALOG }]), /leads out of it: `?\.\.\/\.\.\/outside\.yaml/),
  refusedRow('a zip with an absolute path', 'absolute.zip',
    () => zip([{ name: '/etc/catalog.yaml', bytes: CATALOG }]), /leads out of it: `?\/etc\/catalog\.yaml/),
  refusedRow('a zip with a password', 'secret.zip',
    () => zip([{ name: 'catalog.yaml', bytes: CATALOG, isEncrypted: true }]), /it is protected with a password/),
  refusedRow('a tar whose member claims eight gigabytes', 'claims.tar',
    () => Buffer.concat([tarMember({ name: 'catalog.yaml', bytes: CATALOG, size: 0o77777777777 }), Buffer.alloc(1024)]), /more than 1,?024 MB in one file|cut off/),
  refusedRow('a tar with a name of 16 MB', 'name.tar',
    () => tar([{ name: 'n'.repeat(16 * MB), bytes: CATALOG }]), /in the name of one file/),
  refusedRow('a tar that is cut off', 'cut.tar',
    () => tar([{ name: 'catalog.yaml', bytes: CATALOG }]).subarray(0, 700), /it is cut off/),
  refusedRow('junk in a gzip', 'junk.tar.gz', () => zlib.gzipSync(randomBytes(4_000)), /not a tar/),
  refusedRow('a web page saved as a zip', 'page.zip', () => Buffer.from(HTML), /it is an HTML page/),
  {
    name: 'a bomb that is dropped is refused',
    method: 'drop',
    make: file('dropped.zip', () => zip([{ name: 'catalog.yaml', bytes: Buffer.alloc(80 * MB) }])),
    shows: { refused: /dropped\.zip`? was not opened: .*more than 200 times its size/ },
  },
  refusedRow('an xz file', 'catalog.yaml.xz', startingWith(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0), /it is an xz file.*unpack it/),
  refusedRow('a zstd file', 'catalog.yaml.zst', startingWith(0x28, 0xb5, 0x2f, 0xfd), /it is a zstd file.*unpack it/),
  refusedRow('a bzip2 file', 'catalog.yaml.bz2', startingWith(0x42, 0x5a, 0x68, 0x39, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59), /it is a bzip2 file.*unpack it/),
  failingRow('a PNG', 'catalog.yaml', startingWith(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a), /PNG/),
  failingRow('a PDF', 'catalog.json', () => Buffer.concat([Buffer.from('%PDF-1.7\n%'), randomBytes(600)]), /PDF/),
];
