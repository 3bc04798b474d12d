// Builds small catalogs for journeys that need their own.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/// An entry by its version. `replaces` and `skips` are versions too.
export type Entry = { version: string; replaces?: string | undefined; skips?: string[]; skipRange?: string };

/// Writes a catalog of one package in a new folder and returns it: `folder` is its name, `images` the prefix of the
/// bundles' images. The first channel is the default. Each version has a bundle.
export function catalogOf(folder: string, name: string, images: string, channels: Record<string, Entry[]>): string {
  const dir = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-made-')), folder);
  fs.mkdirSync(path.join(dir, name), { recursive: true });
  fs.writeFileSync(path.join(dir, name, 'catalog.yaml'), packageText(name, images, channels));
  return dir;
}

/// Entries that each replace the previous one.
export const inAChain = (versions: string[]): Entry[] =>
  versions.map((version, at) => ({ version, replaces: versions[at - 1] }));

/// The text of such a package.
export function packageText(name: string, images: string, channels: Record<string, Entry[]>): string {
  const bundle = (version: string): string => `${name}.v${version}`;
  const entry = ({ version, replaces, skips = [], skipRange }: Entry): string => [
    `  - name: ${bundle(version)}\n`,
    replaces === undefined ? '' : `    replaces: ${bundle(replaces)}\n`,
    skips.length > 0 ? `    skips:\n${skips.map(skip => `      - ${bundle(skip)}\n`).join('')}` : '',
    skipRange === undefined ? '' : `    skipRange: '${skipRange}'\n`,
  ].join('');
  const blobs = Object.entries(channels).map(([channel, entries]) => `---
schema: olm.channel
package: ${name}
name: ${channel}
entries:
${entries.map(entry).join('')}`);
  const versions = new Set(Object.values(channels).flat().map(({ version }) => version));
  const bundles = [...versions].map(version => `---
schema: olm.bundle
package: ${name}
name: ${bundle(version)}
image: ${images}:v${version}
properties:
  - type: olm.package
    value: {packageName: ${name}, version: ${version}}
`);
  return `---
schema: olm.package
name: ${name}
defaultChannel: ${Object.keys(channels)[0]}
${blobs.join('')}${bundles.join('')}`;
}
