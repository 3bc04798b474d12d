// A small catalog of a known size, for benchmarks.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/// Writes a catalog of about 70 kB; returns its folder.
export function writeSmallCatalog(): string {
  const top = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-start-')), 'small');
  fs.mkdirSync(top);
  const versions = Array.from({ length: 90 }, (_, n) => `1.${n}.0`);
  const entries = versions.map((version, n) => `- name: p.v${version}\n${n > 0 ? `  replaces: p.v${versions[n - 1]}\n` : ''}`);
  const bundle = (version: string) => `---\nschema: olm.bundle\nname: p.v${version}\npackage: p\nimage: example.com/p@sha256:${'0'.repeat(64)}\n`
    + `properties:\n- type: olm.package\n  value: {packageName: p, version: ${version}}\n`
    + `- type: olm.csv.metadata\n  value: {displayName: ${'a name that is somewhat long '.repeat(15)}}\n`;
  fs.writeFileSync(path.join(top, 'catalog.yaml'), 'schema: olm.package\nname: p\ndefaultChannel: stable\n---\n'
    + `schema: olm.channel\nname: stable\npackage: p\nentries:\n${entries.join('')}${versions.map(bundle).join('')}`);
  return top;
}
