// The catalog that the random user works on.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/// Texts by file path relative to the folder.
export type Texts = Record<string, string>;

export const PACKAGES = ['alpha', 'beta'] as const;
export const CHANNELS = ['stable', 'fast'] as const;
export const VERSIONS = ['1.0.0', '1.1.0', '1.2.0', '1.3.0'];

export const fileOf = (name: string): string => `${name}/catalog.yaml`;

/// Writes a catalog of two packages in two files, in which all lines that `anchors` finds are unique. Returns its
/// folder.
export function catalog(): string {
  const dir = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-law-')), 'cargo');
  for (const name of PACKAGES) {
    fs.mkdirSync(path.join(dir, name), { recursive: true });
    // The two channels indent their entries differently, so that each anchor is unique.
    const channel = (title: string, indent: string): string => `---
schema: olm.channel
package: ${name}
name: ${title}
entries:
${VERSIONS.map((version, at) => `${indent}- name: ${name}.v${version}\n${at > 0 ? `${indent}  replaces: ${name}.v${VERSIONS[at - 1]}\n` : ''}`).join('')}`;
    const bundle = (version: string): string => `---
schema: olm.bundle
package: ${name}
name: ${name}.v${version}
image: quay.io/${name}:v${version}
properties:
- type: olm.package
  value: {packageName: ${name}, version: ${version}}
`;
    fs.writeFileSync(path.join(dir, fileOf(name)),
      `---\nschema: olm.package\nname: ${name}\ndefaultChannel: stable\n${channel('stable', '')}${channel('fast', '  ')}${VERSIONS.map(bundle).join('')}`);
  }
  return dir;
}

export const read = (dir: string): Texts =>
  Object.fromEntries(PACKAGES.map(name => [fileOf(name), fs.readFileSync(path.join(dir, fileOf(name)), 'utf8')]));

export function write(dir: string, texts: Texts): void {
  for (const [file, text] of Object.entries(texts)) {
    fs.mkdirSync(path.dirname(path.join(dir, file)), { recursive: true });
    fs.writeFileSync(path.join(dir, file), text);
  }
}
