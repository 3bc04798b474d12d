// Saving in place: which files are written, and conflicts with other changes on disk.
import fs from 'node:fs';
import path from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { accessible, apply, choosePackage, command, entry, expect, field, fixture, holdWorkers, holdWrites, openFolder, setRange, start, test, tree, verdict } from '../harness';

const ANCHOR = 'anchor-operator/catalog.yaml';
const BUOY = 'buoy-operator/catalog.json';

test.use({ guards: { write: 1, read: 1 } });

const review = (page: Page): Locator => page.getByRole('dialog', { name: 'Review changes' });
const unsaved = (page: Page): Locator => page.getByRole('button', { name: /Review and save/ });
const read = (dir: string, file: string): string => fs.readFileSync(path.join(dir, file), 'utf8');
const change = (dir: string, file: string, from: string, to: string): void => {
  const text = read(dir, file);
  expect(text).toContain(from);
  fs.writeFileSync(path.join(dir, file), text.replace(from, to));
};

async function setDefault(page: Page, name: string, channel: string): Promise<void> {
  await choosePackage(page, name);
  const form = await command(page, 'Set default channel…');
  await field(form, 'Channel', channel);
  await apply(form);
}

async function save(page: Page): Promise<Locator> {
  await unsaved(page).click();
  await review(page).getByRole('button', { name: 'Save to disk' }).click();
  return review(page);
}

test('all ways to save are in the menu while the changes are still being computed', async ({ page }) => {
  const workers = await holdWorkers(page);
  await openFolder(page, fixture('harbor'));
  await setRange(page, '>=0.9.0 <1.2.0');
  await workers.hold();
  await unsaved(page).click();
  await expect(review(page)).toContainText('Reading the changes…');
  await review(page).getByRole('button', { name: 'More ways to save' }).click();
  await expect(page.getByRole('menuitem')).toHaveText([/Download patch/, /Download changed/, /Download all/, /Copy as commands/]);
  await workers.release();
  await expect(review(page)).toContainText('1 line added');
  // The menu keeps its items, and they still work.
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: 'Download patch' }).click()]);
  expect(fs.readFileSync(await file.path(), 'utf8')).toContain('>=0.9.0 <1.2.0');
});

test('a save writes only the changed bytes, and undo still works', async ({ page, violations }) => {
  const dir = fixture('harbor');
  const before = tree(dir);
  await openFolder(page, dir);
  await setRange(page, '>=0.9.0 <1.2.0');
  await setDefault(page, 'anchor-operator', 'candidate');
  expect(tree(dir), 'nothing is written before the save').toEqual(before);
  await unsaved(page).click();
  await accessible(page, 'review with saving');
  await review(page).getByRole('button', { name: 'Save to disk' }).click();
  await expect(page.getByText(/^Saved .*anchor-operator\/catalog\.yaml\.$/)).toBeVisible();
  await expect(review(page)).toBeHidden();
  const text = Buffer.from(before[ANCHOR] ?? '', 'base64').toString('utf8')
    .replace("skipRange: '>=1.0.0 <1.2.0'", "skipRange: '>=0.9.0 <1.2.0'")
    .replace('defaultChannel: stable   #', 'defaultChannel: candidate   #');
  expect(tree(dir)).toEqual({ ...before, [ANCHOR]: Buffer.from(text).toString('base64') });

  await test.step('the saved text is the new base, and undo is a change of it', async () => {
    await expect(unsaved(page)).not.toContainText(/\d/);
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await expect(unsaved(page)).toContainText('1');
    await unsaved(page).click();
    await expect(review(page).getByText('defaultChannel: candidate   #')).toBeVisible();
    await expect(review(page).getByText('skipRange')).toHaveCount(0);
    await page.keyboard.press('Escape');
  });

  await test.step('the key saves, and unchanged text is not written again', async () => {
    await page.keyboard.press('ControlOrMeta+s');
    await expect(review(page)).toBeHidden();
    await expect(unsaved(page)).not.toContainText(/\d/);
    expect(read(dir, ANCHOR)).toBe(text.replace('defaultChannel: candidate   #', 'defaultChannel: stable   #'));
    await page.keyboard.press('ControlOrMeta+s');
    await expect(page.getByText(/Nothing to save/)).toBeVisible();
  });
  expect(violations).toEqual([]);
});

test('text typed in place but not applied is reported in the review and stops a save', async ({ page, violations }) => {
  const dir = fixture('harbor');
  const before = tree(dir);
  await openFolder(page, dir);
  await setRange(page, '>=0.9.0 <1.2.0');
  const message = page.getByRole('region', { name: 'Edit in place' }).getByLabel('Deprecation', { exact: true });
  const typed = review(page).getByRole('list', { name: 'Typed and not applied' });
  await choosePackage(page, 'buoy-operator');
  await choosePackage(page, 'anchor-operator');
  await message.fill('Move to another harbor.');
  await choosePackage(page, 'buoy-operator');

  await test.step('the save key stops, and the review leads to the field', async () => {
    await page.keyboard.press('ControlOrMeta+s');
    await expect(typed).toContainText('Deprecation of package anchor-operator was typed but not applied: it is not part of these changes.');
    await expect(review(page)).toContainText('Nothing is saved yet: what was typed in 1 field is not applied.');
    expect(tree(dir)).toEqual(before);
    await accessible(page, 'a review of what is not applied');
    await typed.getByRole('button', { name: 'Go to the field' }).click();
    await expect(review(page)).toBeHidden();
    await expect(message).toBeFocused();
    await expect(message).toHaveValue('Move to another harbor.');
  });

  await test.step('the text can be discarded in the review', async () => {
    await unsaved(page).click();
    await typed.getByRole('button', { name: 'Discard it' }).click();
    await expect(typed).toBeHidden();
    await page.keyboard.press('Escape');
    await expect(message).toHaveValue('');
    await message.fill('Move on.');
    await unsaved(page).click();
    await expect(typed, 'text typed later counts again').toBeVisible();
  });

  await test.step('saving in the review ignores it', async () => {
    await review(page).getByRole('button', { name: 'Save to disk' }).click();
    await expect(review(page)).toBeHidden();
    expect(read(dir, ANCHOR)).toContain("skipRange: '>=0.9.0 <1.2.0'");
    expect(read(dir, ANCHOR)).not.toContain('Move on.');
  });

  await test.step('it is reported even if nothing else changed', async () => {
    await page.keyboard.press('ControlOrMeta+s');
    await expect(typed).toContainText('Deprecation of package anchor-operator');
    await page.keyboard.press('Escape');
    await message.press('Control+Enter');
    await expect(page.getByRole('group', { name: 'Not applied: Deprecation' })).toHaveCount(0);
    await page.keyboard.press('ControlOrMeta+s');
    await expect.poll(() => read(dir, ANCHOR)).toContain('Move on.');
  });
  expect(violations).toEqual([]);
});

test('the save key stops at a failing catalog, and saves when all pass', async ({ page, violations }) => {
  const dir = fixture('harbor');
  const before = tree(dir);
  await openFolder(page, dir);
  await choosePackage(page, 'anchor-operator');
  const form = await command(page, 'Set replaces…');
  await field(form, 'Channel', 'stable');
  await field(form, 'Entry', 'anchor-operator.v1.2.0');
  await field(form, 'Replaces', '');
  await apply(form);
  await expect(verdict(page)).toHaveText(/Fails opm validate/);

  await page.keyboard.press('ControlOrMeta+s');
  await expect(review(page).getByRole('list', { name: 'Verdicts' })).toContainText('fails opm validate now');
  await expect(review(page)).toContainText('Nothing is saved yet');
  await expect(review(page).getByRole('button', { name: 'Save to disk' })).toBeFocused();
  expect(tree(dir), 'nothing is saved yet').toEqual(before);
  await accessible(page, 'a save that stopped');

  await page.keyboard.press('ControlOrMeta+s');
  await expect(review(page)).toBeHidden();
  expect(tree(dir), 'pressed twice, it saves').not.toEqual(before);

  await test.step('a passing catalog is saved at once', async () => {
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await expect(verdict(page)).toHaveText(/Passes opm validate/);
    await page.keyboard.press('ControlOrMeta+s');
    await expect.poll(() => tree(dir)).toEqual(before);
    await expect(review(page)).toBeHidden();
  });
  expect(violations).toEqual([]);
});

test('a change elsewhere in the same file is merged', async ({ page }) => {
  const dir = fixture('harbor');
  await openFolder(page, dir);
  await setRange(page, '>=0.9.0 <1.2.0');
  change(dir, ANCHOR, '# the first one that anybody ran', '# the first one that anybody ran, in the north');
  const diskText = read(dir, ANCHOR);
  const dialog = await save(page);
  const merge = dialog.getByRole('radio', { name: /^Merge/ });
  await expect(merge).toBeChecked();
  await expect(dialog.getByText('in the north').first()).toBeVisible();
  await accessible(page, 'a choice for a file that changed');
  expect(read(dir, ANCHOR), 'nothing is written before the choice').toBe(diskText);
  // Another file changes meanwhile, which is noticed after the save.
  change(dir, BUOY, '"defaultChannel": "alpha"', '"defaultChannel": "beta"');
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText('Files changed on disk and were read again.')).toBeVisible();
  expect(read(dir, ANCHOR)).toBe(diskText.replace("skipRange: '>=1.0.0 <1.2.0'", "skipRange: '>=0.9.0 <1.2.0'"));
  await expect(unsaved(page)).not.toContainText(/\d/);
  await page.getByRole('button', { name: 'Undo' }).first().click();
  await expect(unsaved(page)).toContainText('1');
});

test('a change of the same entry is a conflict, and each choice does what it says', async ({ page }) => {
  const dir = fixture('harbor');
  await openFolder(page, dir);
  await setRange(page, '>=0.9.0 <1.2.0');
  // Someone removed the edited entry from the file.
  change(dir, ANCHOR, "  - name: 'anchor-operator.v1.2.0'   # quoted for the old tool\n    replaces: \"anchor-operator.v1.1.0\"\n    skipRange: '>=1.0.0 <1.2.0'\n", '');
  const diskText = read(dir, ANCHOR);
  const dialog = await save(page);
  await expect(dialog.getByRole('list', { name: 'Edits that do not apply to the file on disk' })).toContainText('anchor-operator.v1.2.0');
  await expect(dialog.getByRole('radio', { name: /^Merge/ })).not.toBeChecked();
  await expect(dialog.getByRole('button', { name: 'Save', exact: true })).toBeDisabled();
  await accessible(page, 'a conflict');

  await test.step('cancel writes nothing', async () => {
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(read(dir, ANCHOR)).toBe(diskText);
    await expect(dialog.getByRole('button', { name: 'Save to disk' })).toBeEnabled();
  });

  await test.step('theirs drops the edit, as a step that undo reverts', async () => {
    await dialog.getByRole('button', { name: 'Save to disk' }).click();
    await dialog.getByRole('radio', { name: /^Take theirs/ }).check();
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(dialog).toBeHidden();
    expect(read(dir, ANCHOR)).toBe(diskText);
    await expect(unsaved(page)).not.toContainText(/\d/);
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await expect(unsaved(page)).toContainText('1');
  });

  await test.step('mine overwrites the shown change, by keyboard', async () => {
    change(dir, ANCHOR, '# the first one', '# the very first one');
    await page.keyboard.press('ControlOrMeta+s');
    await expect(dialog.getByText('# the very first one').first()).toBeVisible();
    const keepMine = dialog.getByRole('radio', { name: /^Keep mine/ });
    await keepMine.focus();
    await page.keyboard.press('Space');
    await expect(keepMine).toBeChecked();
    await dialog.getByRole('button', { name: 'Save', exact: true }).press('Enter');
    await expect(dialog).toBeHidden();
    expect(read(dir, ANCHOR)).toContain("skipRange: '>=0.9.0 <1.2.0'");
    expect(read(dir, ANCHOR)).not.toContain('very');
  });
});

test('if one of two files cannot be written, both are named and the other is saved', async ({ page }) => {
  const dir = fixture('harbor');
  await openFolder(page, dir);
  await setRange(page, '>=0.9.0 <1.2.0');
  await setDefault(page, 'buoy-operator', 'beta');
  // A folder in place of the file: not even root can write that.
  fs.rmSync(path.join(dir, ANCHOR));
  fs.mkdirSync(path.join(dir, ANCHOR));
  const dialog = await save(page);
  await expect(dialog.getByRole('list', { name: 'Not written' })).toContainText(ANCHOR);
  await expect(dialog.getByRole('list', { name: 'Written', exact: true })).toContainText(BUOY);
  await accessible(page, 'a save that failed half');
  expect(read(dir, BUOY)).toContain('"defaultChannel": "beta"');
  await page.keyboard.press('Escape');
  await expect(unsaved(page)).toContainText('1');

  await test.step('once that is fixed, the other file is saved too', async () => {
    fs.rmdirSync(path.join(dir, ANCHOR));
    const secondReview = await save(page);
    await secondReview.getByRole('radio', { name: /^Keep mine/ }).check();
    await secondReview.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(secondReview).toBeHidden();
    expect(read(dir, ANCHOR)).toContain("skipRange: '>=0.9.0 <1.2.0'");
    await expect(unsaved(page)).not.toContainText(/\d/);
  });
});

test('a full disk is reported and leaves the old file, and a later save works', async ({ page }) => {
  const dir = fixture('harbor');
  const before = tree(dir);
  await openFolder(page, dir);
  await setRange(page, '>=0.9.0 <1.2.0');
  await page.evaluate(() => {
    const { write } = FileSystemWritableFileStream.prototype;
    FileSystemWritableFileStream.prototype.write = async function (data) {
      FileSystemWritableFileStream.prototype.write = write;
      await write.call(this, new Blob([data as BlobPart]).slice(0, 100));
      throw new DOMException('No space left.', 'QuotaExceededError');
    };
  });
  const dialog = await save(page);
  await expect(dialog.getByRole('list', { name: 'Not written' })).toContainText(`${ANCHOR}: the disk is full; free some space and try again`);
  expect(tree(dir)).toEqual(before);
  await page.keyboard.press('Escape');
  await expect(unsaved(page)).toContainText('1');
  await save(page);
  await expect(review(page)).toBeHidden();
  expect(read(dir, ANCHOR)).toContain("skipRange: '>=0.9.0 <1.2.0'");
});

test('an undo while many files are written waits, and is an unsaved change', async ({ page }) => {
  test.setTimeout(300_000);
  const dir = fixture('harbor');
  const folder = path.join(dir, 'wide-operator');
  const blob = (schema: string, lines: string[]) => ['---', `schema: ${schema}`, ...lines, ''].join('\n');
  const bundle = (version: string) => blob('olm.bundle', ['package: wide-operator', `name: wide.v${version}`, `image: quay.io/a/b:${version}`,
    'properties:', `- {type: olm.package, value: {packageName: wide-operator, version: ${version}}}`]);
  fs.mkdirSync(folder);
  fs.writeFileSync(path.join(folder, 'package.yaml'), blob('olm.package', ['name: wide-operator', 'defaultChannel: c0']) + bundle('1.0.0') + bundle('1.1.0'));
  // 30 channels suffice: each write is a round trip to the browser, and the order of events is the same.
  for (let at = 0; at < 30; at += 1)
    fs.writeFileSync(path.join(folder, `c${at}.yaml`), blob('olm.channel', ['package: wide-operator', `name: c${at}`, 'entries:',
      '- name: wide.v1.0.0', '- name: wide.v1.1.0', '  replaces: wide.v1.0.0']));
  const writeOthers = await holdWrites(page, 5);
  const before = tree(dir);
  await openFolder(page, dir);
  await choosePackage(page, 'wide-operator');
  const form = await command(page, 'Remove bundle…');
  await field(form, 'Bundle', 'wide.v1.0.0');
  await apply(form);
  await save(page);
  // Not `tree(dir)`: the browser's temporary files come and go.
  const countWritten = () => Object.keys(before).filter(name => fs.readFileSync(path.join(dir, name), 'base64') !== before[name]).length;
  await expect.poll(countWritten, { timeout: 60_000 }).toBeGreaterThan(2);
  await page.keyboard.press('Escape');
  await page.getByRole('banner').getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(page.getByText('The change is made once all files are written.').first()).toBeVisible();
  expect(countWritten(), 'the save is still running').toBeLessThan(31);
  await writeOthers();

  await expect.poll(countWritten, { message: 'every file has the edit', timeout: 90_000 }).toBe(31);
  await expect(entry(page, 'wide.v1.0.0', 'c29')).toBeVisible();
  await expect(unsaved(page)).toContainText('31');
  await expect(await save(page)).toBeHidden({ timeout: 90_000 });
  await expect(unsaved(page)).not.toContainText(/\d/);
  expect(tree(dir)).toEqual(before);
});

test('a restarted worker has saved and unsaved edits', async ({ page }) => {
  const dir = fixture('harbor');
  await openFolder(page, dir);
  await setRange(page, '>=0.9.0 <1.2.0');
  await expect(await save(page)).toBeHidden();
  await setDefault(page, 'anchor-operator', 'candidate');
  const worker = page.workers()[0]!;
  await worker.evaluate(() => { setTimeout(() => { throw new WebAssembly.RuntimeError('unreachable'); }); });
  await expect(page.locator('.banner').getByText(/was restarted. Nothing is lost/)).toBeVisible();
  await expect(entry(page, 'anchor-operator.v1.3.0', 'candidate')).toHaveAccessibleName(/default channel/);
  await unsaved(page).click();
  await expect(review(page).getByText('skipRange')).toHaveCount(0);
  await review(page).getByRole('button', { name: 'Save to disk' }).click();
  await expect(review(page)).toBeHidden();
  expect(read(dir, ANCHOR)).toMatch(/defaultChannel: candidate[^]*>=0\.9\.0 <1\.2\.0/);
});

test('files that change on disk are read again if nothing is edited', async ({ page }) => {
  const dir = fixture('harbor');
  await openFolder(page, dir);
  change(dir, BUOY, '"defaultChannel": "alpha"', '"defaultChannel": "beta"');
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  await expect(page.getByText('Files changed on disk and were read again.')).toBeVisible();
  await choosePackage(page, 'buoy-operator');
  await expect(entry(page, 'buoy-operator.v0.1.0', 'beta')).toHaveAccessibleName(/default channel/);
});

test.describe('without permission to write', () => {
  test.use({ guards: { write: 2, read: 1 } });

  test('the refusal is reported, and nothing is lost', async ({ page }) => {
    const dir = fixture('harbor');
    const before = tree(dir);
    await openFolder(page, dir);
    await setRange(page, '>=0.9.0 <1.2.0');
    const dialog = await save(page);
    await expect(dialog.getByRole('group', { name: 'Save result' })).toContainText('does not let the page write');
    await accessible(page, 'a save that was refused');
    expect(tree(dir)).toEqual(before);
    await page.keyboard.press('Escape');
    await expect(unsaved(page)).toContainText('1');
  });
});

test('files opened without a folder are downloaded, and the page says why', async ({ page }) => {
  const dir = fixture('harbor');
  await start(page);
  await page.getByLabel('Catalog folder').setInputFiles(dir);
  await expect(verdict(page)).toHaveText(/opm validate/);
  await unsaved(page).click();
  await expect(review(page)).toContainText('No changes: the files match the disk.');
  await expect(review(page).getByText(/no permission to write to your folder yet/)).toHaveCount(0);
  await expect(review(page).getByRole('button', { name: 'Save to a folder…' })).toBeDisabled();
  await page.keyboard.press('Escape');
  await setRange(page, '>=0.9.0 <1.2.0');
  await unsaved(page).click();
  await expect(review(page).getByRole('button', { name: 'Save to disk' })).toHaveCount(0);
  await expect(review(page).getByText(/no permission to write to your folder yet/)).toBeVisible();
  await expect(review(page).getByRole('button', { name: 'Save to a folder…' })).toBeEnabled();
  await review(page).getByRole('button', { name: 'More ways to save' }).click();
  const download = page.waitForEvent('download');
  await review(page).getByRole('menuitem', { name: 'Download changed files' }).click();
  await download;
  await expect(review(page).getByText(/ was downloaded\.$/)).toBeVisible();
});

/// The number of folders that the browser remembers for the page.
const countFolders = (): Promise<number> => new Promise(resolve => {
  const opening = indexedDB.open('switchyard-recent');
  opening.onsuccess = () => {
    const countRequest = opening.result.transaction('folders').objectStore('folders').count();
    countRequest.onsuccess = () => { opening.result.close(); resolve(countRequest.result); };
  };
});

test('a recent folder is opened again, or forgotten', async ({ page }) => {
  const [dir, other] = [fixture('harbor'), fixture('reef')];
  await openFolder(page, dir);
  await setRange(page, '>=0.9.0 <1.2.0');
  await expect(await save(page)).toBeHidden();
  await openFolder(page, other);
  // It is stored in the background, later than a test leaves the page.
  await expect.poll(() => page.evaluate(countFolders)).toBe(2);
  await start(page);
  const recent = page.getByRole('region', { name: 'Recent folders' });
  const item = recent.getByRole('listitem').filter({ hasText: 'harbor' });
  await expect(item).toContainText(/just now|minute/);
  await expect(recent.getByRole('listitem')).toHaveCount(2);
  await accessible(page, 'recent folders');
  await recent.getByRole('listitem').filter({ hasText: 'reef' }).getByRole('button', { name: 'Forget' }).click();
  await expect(recent.getByRole('listitem')).toHaveCount(1);
  await item.getByRole('button', { name: 'Open' }).press('Enter');
  await expect(verdict(page)).toHaveText(/opm validate/);

  // It can be saved to, like a dropped one.
  await setDefault(page, 'buoy-operator', 'beta');
  await expect(await save(page)).toBeHidden();
  expect(read(dir, BUOY)).toContain('"defaultChannel": "beta"');
});
