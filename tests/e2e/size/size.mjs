// The download sizes with the best brotli compression: until the start page accepts files, until its program is loaded,
// and in total. Fails if a build is more than 2 % larger than recorded for its kind. A commit that makes the page
// smaller, or has a reason to make it larger, updates the record with SWITCHYARD_BLESS=1.
//
//     node size.mjs FOLDER quick|release
import fs from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

const RECORD = new URL('recorded.json', import.meta.url);
const TOLERANCE = 0.02;
/// Downloaded only on demand.
const ASKED_FOR = new Set(['sample']);

const [, , folder, kind] = process.argv;

function files(dir) {
  return fs.readdirSync(dir, { withFileTypes: true }).flatMap(entry => {
    const file = path.join(dir, entry.name);
    if (!entry.isDirectory()) return [file];
    return ASKED_FOR.has(path.relative(folder, file)) ? [] : files(file);
  });
}

function packed(bytes) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 };
  return brotliCompressSync(bytes, { params }).length;
}

const shown = bytes => `${(bytes / 1000).toFixed(1)} kB`.padStart(12);
const sizes = { first: 0, start: 0, whole: 0 };
/// Files that the start page's program does not need; it requests the last of them only to store them for offline use.
const LATER = /^(worker-|page-\w+-|icons\/|sw|manifest)/;
/// Files that the start page needs to accept files: itself, its style sheet and `boot.js`.
const FIRST = /^(index\.html|boot\.js|style-\w+\.css)$/;
console.log(`${'file'.padEnd(40)}${'raw'.padStart(12)}${'brotli'.padStart(12)}`);
for (const file of files(folder).sort()) {
  const bytes = fs.readFileSync(file);
  const size = packed(bytes);
  const name = path.relative(folder, file);
  sizes.whole += size;
  if (FIRST.test(name)) sizes.first += size;
  if (!LATER.test(name)) sizes.start += size;
  console.log(name.padEnd(40) + shown(bytes.length) + shown(size));
}

const record = JSON.parse(fs.readFileSync(RECORD, 'utf8'));
if (process.env.SWITCHYARD_BLESS) {
  record.recorded[kind] = sizes;
  fs.writeFileSync(RECORD, `${JSON.stringify(record, null, 2)}\n`);
}
let isHeavier = false;
let isLighter = false;
for (const what of Object.keys(sizes)) {
  const [now, was, budget] = [sizes[what], record.recorded[kind][what], record.budget[what]];
  const change = (now - was) / was;
  console.log(`${what.padEnd(40)}${shown(was)}${shown(now)}  (recorded, now; the budget is ${shown(budget).trim()})`);
  if (Math.abs(change) <= TOLERANCE) continue;
  if (change > 0) isHeavier = true;
  else isLighter = true;
  console.log(`${what}: ${(100 * Math.abs(change)).toFixed(1)} % ${change > 0 ? 'heavier' : 'lighter'} than recorded in tests/e2e/size/recorded.json`);
}
if (isHeavier || isLighter) console.log(`SWITCHYARD_BLESS=1 node tests/e2e/size/size.mjs ${folder} ${kind} records what is now`);
process.exit(isHeavier ? 1 : 0);
