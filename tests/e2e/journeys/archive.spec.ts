// Archives are opened like folders, downloaded in their original form, and refused if they are harmful.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { PASSES, apply, choosePackage, command, drop, expect, field, fixture, packageItem, saveBy, start, test, tree, verdict } from '../harness';
import { tar, zip } from '../pack';

const scratch = (): string => fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-archive-'));

test('a tar.gz is opened, edited and downloaded as a tar.gz', async ({ page, violations }) => {
  const folder = fixture('harbor');
  const archive = path.join(scratch(), 'harbor.tar.gz');
  execFileSync('tar', ['-czf', archive, '-C', folder, '.']);
  await start(page);
  await drop(page, [archive]);
  await expect(verdict(page)).toHaveText(PASSES);
  await choosePackage(page, 'anchor-operator');
  const form = await command(page, 'Set default channel…');
  await field(form, 'Channel', 'candidate');
  await apply(form);

  await page.getByRole('button', { name: /^Review and save/ }).click();
  const review = page.getByRole('dialog', { name: 'Review changes' });
  await expect(review, 'no folder was opened').toContainText('relative to the root of the opened folder or archive');
  const download = page.waitForEvent('download');
  await saveBy(review, 'Download all files');
  const file = await download;
  expect(file.suggestedFilename()).toBe('harbor.tar.gz');
  const restoredFolder = scratch();
  await file.saveAs(path.join(restoredFolder, 'back.tar.gz'));
  const unpacked = path.join(restoredFolder, 'unpacked');
  fs.mkdirSync(unpacked);
  execFileSync('tar', ['-xzf', path.join(restoredFolder, 'back.tar.gz'), '-C', unpacked]);
  const before = tree(folder);
  const after = tree(unpacked);
  expect(Object.keys(after).sort()).toEqual(Object.keys(before).sort());
  const changed = Object.keys(before).filter(name => before[name] !== after[name]);
  expect(changed).toHaveLength(1);
  expect(Buffer.from(after[changed[0] ?? ''] ?? '', 'base64').toString()).toContain('defaultChannel: candidate');
  expect(violations).toEqual([]);
});

test('an image is opened as its configs', async ({ page }) => {
  const catalog = fs.readFileSync(path.join(fixture('harbor'), 'buoy-operator/catalog.json'));
  const layer = tar([{ name: 'etc/passwd', bytes: Buffer.from('root') }, { name: 'configs/buoy-operator/catalog.json', bytes: catalog }]);
  const manifest = Buffer.from(JSON.stringify([{ Layers: ['1/layer.tar'] }]));
  const image = path.join(scratch(), 'image.tar');
  fs.writeFileSync(image, tar([{ name: 'manifest.json', bytes: manifest }, { name: '1/layer.tar', bytes: layer }]));
  await start(page);
  await page.getByLabel('Catalog files').setInputFiles([image]);
  await expect(verdict(page)).toHaveText(PASSES);
  await expect(packageItem(page, 'buoy-operator')).toBeVisible();
});

/// A zip bomb: an archive of one huge empty file.
function writeZipBomb(dir: string): string {
  const file = path.join(dir, 'bomb.zip');
  fs.writeFileSync(file, zip([{ name: 'zeros.yaml', bytes: Buffer.alloc(80 << 20) }]));
  return file;
}

test('each archive of a drop is refused separately', async ({ page }) => {
  const dir = scratch();
  const damaged = path.join(dir, 'damaged.zip');
  fs.writeFileSync(damaged, 'PK\u0003\u0004 and nothing that a zip has');
  // Renamed when it is opened, because the folder has this name.
  const namesake = path.join(dir, 'harbor.zip');
  fs.copyFileSync(damaged, namesake);
  const picture = path.join(dir, 'picture.tar');
  fs.writeFileSync(picture, Buffer.from('\x89PNG\r\n\x1a\n and no tar', 'latin1'));
  const intactArchive = path.join(dir, 'good.tar');
  fs.writeFileSync(intactArchive, tar([{ name: 'buoy-operator/catalog.json', bytes: fs.readFileSync(path.join(fixture('harbor'), 'buoy-operator/catalog.json')) }]));
  await start(page);
  await drop(page, [fixture('harbor'), damaged, namesake, writeZipBomb(dir), picture]);
  await expect(verdict(page)).toHaveText(PASSES);
  await expect(packageItem(page, 'anchor-operator')).toBeVisible();
  const refused = page.locator('.banner');
  for (const name of ['damaged.zip', 'harbor.zip', 'bomb.zip', 'picture.tar'])
    await expect(refused).toContainText(new RegExp('`?' + name + '`? was not opened: '));

  await drop(page, [damaged, intactArchive]);
  await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click();
  await expect(page.getByRole('list', { name: 'Catalogs' })).toContainText('good');
  await expect(refused).toContainText('damaged.zip');
  await expect(refused).not.toContainText('picture.tar');
});
