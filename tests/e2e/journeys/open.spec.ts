// Opening: drops, pickers, samples, several catalogs, invalid input.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { inAChain, packageText } from '../catalogs';
import { AT_THE_ROOT, PASSES, UNDER_A_PATH, accessible, apply, choosePackage, command, drop, entry, expect, field, fixture, graph, openFolder, packageItem, preparePicker, start, test, verdict } from '../harness';

/// The packages of the sample.
const SAMPLE = ['lantern', 'switchboard', 'tidewater'];

test('a dropped folder is opened, validated and drawn', async ({ page, violations }) => {
  await start(page);
  await accessible(page, 'start');
  await drop(page, [fixture('harbor')]);
  await expect(verdict(page)).toHaveText(PASSES);
  for (const name of ['anchor-operator', 'buoy-operator', 'crane-operator']) await expect(packageItem(page, name)).toBeVisible();
  await choosePackage(page, 'anchor-operator');
  await expect(entry(page, 'anchor-operator.v1.2.0', 'stable')).toHaveAccessibleName(/head, default channel/);
  await expect(entry(page, 'anchor-operator.v1.2.1', 'candidate')).toHaveAccessibleName(/not in this channel/);
  await accessible(page, 'workbench');
  expect(violations).toEqual([]);
});

/// Packages of 400 kB each, with equal dates so that two such folders look the same.
function large(packages: number, versions: string[]): string {
  const dir = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-large-')), 'catalog');
  const long = '# ' + 'a line that nobody reads, but which has to be read\n# '.repeat(8_000);
  for (let at = 0; at < packages; at += 1) {
    const name = `p${String(at).padStart(3, '0')}-operator`, file = path.join(dir, name, 'catalog.yaml');
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, packageText(name, 'quay.io/example', { stable: inAChain(versions) }) + long);
    fs.utimesSync(file, 1_700_000_000, 1_700_000_000);
  }
  return dir;
}

test('of two folders that differ only in their content, the last dropped one is opened', async ({ page }) => {
  const [first, second] = [large(60, ['1.0.0', '1.1.0']), large(60, ['1.0.0', '1.2.0'])] as const;
  await start(page);
  await drop(page, [first]);
  await drop(page, [second]);
  // The page asks only if the first folder is open by then.
  const replace = page.getByRole('dialog').getByRole('button', { name: 'Replace' });
  const last = entry(page, 'p000-operator.v1.2.0', 'stable');
  await expect(replace.or(last)).toBeVisible();
  if (await replace.isVisible()) await replace.click();
  await expect(last).toBeVisible();
  await expect(verdict(page)).toHaveText(PASSES);
  for (const dir of [first, second]) fs.rmSync(dir, { recursive: true });
});

test('a large catalog is read by several workers, which end after opening', async ({ page }) => {
  const dir = large(200, ['1.0.0', '1.1.0']);
  // More cores allow more readers.
  await page.addInitScript(() => Object.defineProperty(Navigator.prototype, 'hardwareConcurrency', { get: () => 8 }));
  let workers = 0;
  page.on('worker', () => { workers += 1; });
  await start(page);
  await drop(page, [dir]);
  await expect(verdict(page)).toHaveText(PASSES);
  await expect(entry(page, 'p000-operator.v1.1.0', 'stable')).toBeVisible();
  expect(workers, 'the host, two standby readers, and two more').toBe(5);
  await expect.poll(() => page.workers().length, 'only the host is left').toBe(1);
  fs.rmSync(dir, { recursive: true });
});

test('the folder picker is used, and can be cancelled', async ({ page }) => {
  const answer = await preparePicker(page);
  await start(page);
  await page.getByRole('button', { name: 'Open folder…' }).click();
  await expect(page.getByRole('button', { name: 'Open folder…' }), 'a cancelled picker changes nothing').toBeVisible();
  await answer(fixture('harbor'));
  await page.getByRole('button', { name: 'Open folder…' }).click();
  await expect(verdict(page)).toHaveText(PASSES);
  await expect(packageItem(page, 'crane-operator')).toBeVisible();
});

test('a folder from the input is opened, also at the root of a host', async ({ page }) => {
  await start(page, AT_THE_ROOT);
  await page.getByLabel('Catalog folder').setInputFiles(fixture('harbor'));
  await expect(verdict(page)).toHaveText(PASSES);
  await expect(packageItem(page, 'buoy-operator')).toBeVisible();
});

test('single files are opened', async ({ page }) => {
  await start(page);
  await page.getByLabel('Catalog files').setInputFiles([path.join(fixture('harbor'), 'buoy-operator/catalog.json')]);
  await expect(verdict(page)).toHaveText(PASSES);
  await expect(packageItem(page, 'buoy-operator')).toBeVisible();
});

test('the sample shows every kind of edge', async ({ page }) => {
  await start(page);
  await page.getByRole('button', { name: 'Try a sample' }).click();
  await expect(verdict(page)).toHaveText(PASSES);
  const drawn = new Set<string>();
  for (const name of SAMPLE) {
    await choosePackage(page, name);
    for (const [kind, drawing] of Object.entries({ replaces: '.link', skips: '.run', skipRange: '.bracket' }))
      if (await graph(page).locator(drawing).count() > 0) drawn.add(kind);
  }
  expect([...drawn].sort()).toEqual(['replaces', 'skipRange', 'skips']);
});

test('folders named by OCP versions are separate catalogs, and can be treated as one', async ({ page }) => {
  const parent = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-versions-'));
  for (const version of ['v4.18', 'v4.19']) fs.cpSync(fixture('harbor'), path.join(parent, 'catalogs', version), { recursive: true });
  await openFolder(page, path.join(parent, 'catalogs'));
  const catalogs = page.getByRole('list', { name: 'Catalogs' }).or(page.getByRole('listbox', { name: 'Catalogs' }));
  await expect(catalogs.getByText('v4.18')).toBeVisible();
  await expect(catalogs.getByText('v4.19')).toBeVisible();
  await expect(verdict(page)).toHaveText(PASSES);
  await page.getByRole('button', { name: /Treat (this folder|.*) as one catalog/ }).first().click();
  await expect(verdict(page)).toHaveText(/Fails opm validate/);
});

test('invalid input is reported with file and line, and hides nothing else', async ({ page }) => {
  const dir = fixture('harbor');
  fs.writeFileSync(path.join(dir, 'README.md'), '# Harbor\n\nJust text.\n');
  fs.writeFileSync(path.join(dir, 'broken.yaml'), 'schema: olm.package\nname: [unclosed\n');
  fs.writeFileSync(path.join(dir, 'half.json'), '{"schema": "olm.package", "name": "ha');
  fs.writeFileSync(path.join(dir, 'noise.bin'), Buffer.from([0, 1, 2, 255, 254, 10, 13, 7]));
  fs.writeFileSync(path.join(dir, 'proto.yaml'), 'schema: olm.package\nname: __proto__\ndefaultChannel: constructor\n');
  await openFolder(page, dir);
  await expect(verdict(page)).toHaveText(/Fails opm validate: [1-9]\d* errors?/);
  await expect(packageItem(page, 'anchor-operator')).toBeVisible();
  await expect(packageItem(page, '__proto__')).toBeVisible();
  const problems = page.getByRole('region', { name: 'Problems' });
  await page.getByRole('tab', { name: /^Problems/ }).click();
  await expect(problems.getByText(/broken\.yaml:\d+/).first()).toBeVisible();
  await expect(problems.getByText(/half\.json:\d+/).first()).toBeVisible();
});

test('a folder without files is reported, also beside others', async ({ page }) => {
  const empty = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-empty-'));
  const message = `There are no files in ${path.basename(empty)}.`;
  await start(page);
  await drop(page, [empty]);
  await expect(page.getByText(message).first()).toBeVisible();
  await drop(page, [fixture('harbor'), empty]);
  await expect(verdict(page)).toHaveText(PASSES);
  await expect(page.locator('.banner')).toContainText(message);
});

test('a file that the operating system opens with the page is opened, and saved in place', async ({ page }) => {
  await page.addInitScript(() => {
    const text = 'schema: olm.package\nname: handed\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: handed\n'
      + 'name: stable\nentries:\n- name: handed.v1.0.0\n';
    const setConsumer = async (take: (launch: { files: FileSystemFileHandle[] }) => void): Promise<void> => {
      const file = await (await navigator.storage.getDirectory()).getFileHandle('handed.yaml', { create: true });
      const writer = await file.createWritable();
      await writer.write(text);
      await writer.close();
      take({ files: [file] });
    };
    Object.defineProperty(window, 'launchQueue', { value: { setConsumer } });
  });
  await page.goto(UNDER_A_PATH);
  await choosePackage(page, 'handed');
  const form = await command(page, 'Set skip range…');
  await field(form, 'Channel', 'stable');
  await field(form, 'Entry', 'handed.v1.0.0');
  await field(form, 'Skip range', '<1.0.0');
  await apply(form);
  await page.getByRole('button', { name: /Review and save/ }).click();
  await page.getByRole('dialog', { name: 'Review changes' }).getByRole('button', { name: 'Save to disk' }).click();
  await expect(page.getByText(/^Saved .*handed\.yaml\.$/)).toBeVisible();
  const saved = await page.evaluate(async () => {
    const file = await (await navigator.storage.getDirectory()).getFileHandle('handed.yaml');
    return (await file.getFile()).text();
  });
  expect(saved).toContain("skipRange: <1.0.0");
});
