// Bundles for the journeys: the test-data bundle in several releases and packagings, and catalogs to add them to.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import zlib from 'node:zlib';
import { HERE, tree } from './harness';
import { type TarMember, tar } from './pack';

const YARD = path.resolve(HERE, '../data/bundles/yard');

export const newFolder = (what: string): string => fs.mkdtempSync(path.join(os.tmpdir(), `switchyard-${what}-`));

/// A bundle directory of a release of `yard`; `change` edits its ClusterServiceVersion.
export function bundle(version: string, change: (csv: string) => string = csv => csv): string {
  const dir = path.join(newFolder('bundle'), `yard-${version}`);
  fs.cpSync(YARD, dir, { recursive: true });
  const csv = path.join(dir, 'manifests/yard.clusterserviceversion.yaml');
  fs.writeFileSync(csv, change(fs.readFileSync(csv, 'utf8').replaceAll('1.2.0', version)));
  return dir;
}

/// The files of a folder as members of a tar.
export const tarMembers = (dir: string): TarMember[] =>
  Object.entries(tree(dir)).map(([name, bytes]) => ({ name, bytes: Buffer.from(bytes, 'base64') }));

/// An image of a bundle as `docker save` writes it.
export function savedImage(dir: string): string {
  const file = path.join(newFolder('image'), 'yard-image.tar');
  fs.writeFileSync(file, tar([
    { name: 'manifest.json', bytes: Buffer.from(JSON.stringify([{ Layers: ['1/layer.tar'] }])) },
    { name: '1/layer.tar', bytes: tar(tarMembers(dir)) },
  ]));
  return file;
}

/// The bundle directory as a gzipped tar.
export function packBundle(dir: string): string {
  const file = path.join(newFolder('packed'), `${path.basename(dir)}.tgz`);
  fs.writeFileSync(file, zlib.gzipSync(tar(tarMembers(dir))));
  return file;
}

/// The output of `opm render` for a bundle, without its objects.
export const blob = (version: string): string => `---
schema: olm.bundle
name: yard.v${version}
package: yard
image: example.com/yard:v${version}
properties:
- type: olm.package
  value: {packageName: yard, version: ${version}}
`;

export const PACKAGE = `---
schema: olm.package
name: yard
defaultChannel: stable
---
schema: olm.channel
package: yard
name: stable
entries:
- name: yard.v1.1.0 # the first
---
schema: olm.channel
package: yard
name: fast
entries:
- name: yard.v1.1.0
${blob('1.1.0')}`;

const OTHER = PACKAGE.replaceAll('yard', 'rail');

/// Catalogs below one folder, by name; each contains the package of the bundles, or another one.
export function catalogs(of: Record<string, 'yard' | 'rail'>): string {
  const parent = path.join(newFolder('catalogs'), 'catalogs');
  for (const [name, packageName] of Object.entries(of)) {
    const dir = path.join(parent, name, packageName);
    fs.mkdirSync(dir, { recursive: true });
    fs.writeFileSync(path.join(dir, 'catalog.yaml'), packageName === 'yard' ? PACKAGE : OTHER);
  }
  return parent;
}
