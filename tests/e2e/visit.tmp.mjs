import { chromium } from '@playwright/test';
import fs from 'node:fs'; import os from 'node:os'; import path from 'node:path';
const [,, address, count = '5', wait = '2500', folder] = process.argv;
const top = folder ?? '/tmp/speed-w/small';
if (!folder) { fs.mkdirSync(top, { recursive: true });
const versions = Array.from({ length: 90 }, (_, n) => `1.${n}.0`);
const entries = versions.map((v, n) => `- name: p.v${v}\n${n > 0 ? `  replaces: p.v${versions[n - 1]}\n` : ''}`);
const bundle = v => `---\nschema: olm.bundle\nname: p.v${v}\npackage: p\nimage: example.com/p@sha256:${'0'.repeat(64)}\nproperties:\n- type: olm.package\n  value:\n    packageName: p\n    version: ${v}\n- type: olm.csv.metadata\n  value:\n    displayName: ${'a name that is somewhat long '.repeat(15)}\n`;
fs.writeFileSync(path.join(top, 'catalog.yaml'), 'schema: olm.package\nname: p\ndefaultChannel: stable\n---\nschema: olm.channel\nname: stable\npackage: p\nentries:\n' + entries.join('') + versions.map(bundle).join('')); }
const all = {};
for (let n = 0; n < Number(count); n++) {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'speed-visit-'));
  const context = await chromium.launchPersistentContext(profile, { executablePath: '/usr/bin/chromium', args: ['--headless=new','--no-sandbox','--disable-gpu','--no-first-run','--disable-background-networking'], viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(address);
  await page.locator('#boot').waitFor({ state: 'detached' });
  await page.waitForTimeout(Number(wait));
  await page.locator('#catalog-folder').setInputFiles(top);
  await page.waitForFunction(() => performance.getEntriesByName('first-graph').length && performance.getEntriesByName('verdict').length, null, { timeout: 60000 });
  const got = await page.evaluate(() => Object.fromEntries(['boot', 'workers', 'warm-up', 'open', 'verdict', 'first-graph'].map(n => [n, Math.round(performance.getEntriesByName(n)[0]?.duration)])));
  console.log(JSON.stringify(got));
  for (const k in got) (all[k] ??= []).push(got[k]);
  await context.close(); fs.rmSync(profile, { recursive: true });
}
console.log('median', JSON.stringify(Object.fromEntries(Object.entries(all).map(([k, v]) => [k, v.sort((a, b) => a - b)[v.length >> 1]]))));
