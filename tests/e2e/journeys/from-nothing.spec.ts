// From nothing to a catalog: a new catalog for three OpenShift versions and two releases of a bundle, saved, and
// validated by our command line and, if available, by opm.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { bundle, newFolder } from '../bundles';
import { PASSES, accessible, apply, builtPath, choosePackage, command, corpus, drop, entry, expect, field, fixture, graph, openFolder, waitForOriginal, packageItem, preparePicker, start, test, tree, verdict, alsoIn } from '../harness';
import type { Locator, Page } from '@playwright/test';

const VERSIONS = ['v4.16', 'v4.17', 'v4.18'];
/// The time limit of a whole task, in milliseconds.
const LIMIT = 180_000;

const catalogs = (page: Page): Locator => page.getByRole('list', { name: 'Catalogs' });
const history = (page: Page): Locator => page.getByRole('list', { name: 'History' });

/// Creates catalogs from the start page.
async function createCatalog(page: Page, name: string, versions: string, layout: 'folders' | 'one' = 'folders', language: 'yaml' | 'json' = 'yaml'): Promise<void> {
  await page.getByRole('button', { name: 'New catalog…' }).click();
  const dialog = page.getByRole('dialog', { name: 'New catalog' });
  await field(dialog, 'Name', name);
  await field(dialog, 'OpenShift versions', versions);
  await field(dialog, 'Layout', layout);
  await field(dialog, 'Format', language);
  await dialog.getByRole('button', { name: 'Create' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('heading', { name: /has no packages yet/ })).toBeVisible();
}

/// A bundle directory, its name and its image.
type Release = { dir: string; name: string; image: string };

/// Adds releases to three catalogs, from an empty page to files on disk.
async function releaseAll(page: Page, name: string, releases: Release[], answer: (dir: string) => Promise<void>): Promise<string> {
  await start(page);
  await createCatalog(page, 'catalogs', '4.16-4.18');
  for (const version of VERSIONS) await expect(catalogs(page).getByRole('listitem', { name: new RegExp(`^${version}`) })).toBeVisible();
  for (const release of releases) {
    await drop(page, [release.dir]);
    const form = page.getByRole('dialog', { name: `Add ${release.name}` });
    await field(form, 'Image', release.image);
    const alsoInGroup = form.getByRole('group', { name: 'Also in' });
    // At first the package is new; later all catalogs have it.
    await expect(alsoInGroup).toContainText('2 other catalogs can change too.');
    await (await alsoIn(form)).getByRole('button', { name: 'Select all' }).click();
    await expect(form.getByRole('region', { name: 'Preview' })).toContainText(`image: ${release.image}`);
    await apply(form);
    await expect(history(page)).toContainText(/Add .*, in 3 catalogs/);
    await expect(graph(page)).toHaveAccessibleName(`Upgrade graph of ${name}`);
  }
  for (const version of VERSIONS)
    await expect(catalogs(page).getByRole('listitem', { name: new RegExp(`^${version}, ${PASSES}, 1 package`) })).toBeVisible();

  const parent = newFolder('saved');
  await answer(parent);
  await page.getByRole('button', { name: /Review and save/ }).click();
  const review = page.getByRole('dialog', { name: 'Review changes' });
  await expect(review.getByRole('list', { name: 'New files without edits' }).getByRole('listitem'))
    .toHaveText(VERSIONS.map(version => `catalogs/${version}/.indexignore`));
  await review.getByRole('button', { name: 'Save to a folder…' }).click();
  await expect(page.getByText(/Saved \d+ files\./)).toBeVisible();
  return path.join(parent, 'catalogs');
}

/// Validates each catalog with our command line and with opm, either its program or our test program that uses its
/// library.
function validate(dir: string): void {
  for (const version of VERSIONS)
    expect(execFileSync(builtPath('SWITCHYARD_CLI'), ['validate', path.join(dir, version)], { encoding: 'utf8' })).toContain('passes');
  const [opm, binary] = [process.env.SWITCHYARD_OPM, process.env.SWITCHYARD_OPM_BINARY];
  if (binary) for (const version of VERSIONS) execFileSync(binary, ['validate', path.join(dir, version)]);
  else if (!opm) console.log('neither SWITCHYARD_OPM_BINARY nor SWITCHYARD_OPM is set: opm is not run');
  if (!opm) return;
  const questions = VERSIONS.map(version => {
    const files = Object.fromEntries(Object.entries(tree(path.join(dir, version))).map(([file, bytes]) => [file, Buffer.from(bytes, 'base64').toString()]));
    return JSON.stringify({ ask: 'validate', files });
  });
  const answers = execFileSync(opm, { input: questions.join('\n') + '\n', encoding: 'utf8' }).trim().split('\n');
  expect(answers.map(line => JSON.parse(line))).toEqual(VERSIONS.map(() => ({ ok: true, message: '' })));
}

test.describe('saved to a folder', () => {
  test.use({ guards: { write: 1, read: 1 } });

  test('two releases for three OpenShift versions, from nothing', async ({ page, violations }) => {
    const from = Date.now();
    const answer = await preparePicker(page);
    const releases = ['1.1.0', '1.2.0'].map(version =>
      ({ dir: bundle(version), name: `yard.v${version}`, image: `example.com/yard:v${version}` }));
    const dir = await releaseAll(page, 'yard', releases, answer);
    await expect(entry(page, 'yard.v1.2.0', 'stable')).toHaveAccessibleName(/head/);
    validate(dir);
    const text = (version: string) => fs.readFileSync(path.join(dir, version, 'yard/catalog.yaml'), 'utf8');
    expect(text('v4.16')).toContain('olm.bundle.object');
    expect(text('v4.18')).toContain('olm.csv.metadata');
    expect(text('v4.18')).toContain('replaces: yard.v1.1.0');
    expect(Date.now() - from).toBeLessThan(LIMIT);

    await test.step('later edits are saved in place', async () => {
      const channel = await command(page, 'Add channel…');
      await field(channel, 'Channel', 'candidate');
      await field(channel, 'From', 'stable');
      await apply(channel);
      await page.keyboard.press('ControlOrMeta+s');
      await expect.poll(() => text('v4.16'), { message: 'the edit is on disk' }).toContain('name: candidate');
    });
    expect(violations).toEqual([]);
  });

  test('a disk that is full halfway leaves no part, so that the next attempt works', async ({ page }) => {
    const answer = await preparePicker(page);
    await start(page);
    await createCatalog(page, 'catalogs', '4.16-4.18');
    await drop(page, [bundle('1.1.0')]);
    const form = page.getByRole('dialog', { name: 'Add yard.v1.1.0' });
    await field(form, 'Image', 'example.com/yard:v1.1.0');
    await expect(form.getByRole('region', { name: 'Preview' })).toContainText('image: example.com/yard:v1.1.0');
    await apply(form);
    await page.evaluate(() => {
      const { write } = FileSystemWritableFileStream.prototype;
      let files = 0;
      FileSystemWritableFileStream.prototype.write = function (data) {
        files += 1;
        return files === 2 ? Promise.reject(new DOMException('No space left.', 'QuotaExceededError')) : write.call(this, data);
      };
    });
    const saved = path.join(newFolder('full'), 'catalogs');
    const review = page.getByRole('dialog', { name: 'Review changes' });
    const saveToFolder = async () => {
      await answer(path.dirname(saved));
      await page.getByRole('button', { name: /Review and save/ }).click();
      await review.getByRole('button', { name: 'Save to a folder…' }).click();
    };
    await saveToFolder();
    // The page behind the dialog and the live regions repeat the message.
    await expect(review.locator('.banners')).toContainText(
      /Nothing was saved: catalogs\/v4\.1\d\/\.indexignore could not be written: the disk is full; free some space and try again\./);
    expect(fs.readdirSync(saved)).toEqual([]);
    await page.keyboard.press('Escape');
    await expect(review).toBeHidden();
    await saveToFolder();
    await expect(page.getByText(/^Saved .*yard\/catalog\.yaml\.$/)).toBeVisible();
    expect(Object.keys(tree(saved)).filter(file => file.endsWith('yard/catalog.yaml'))).toHaveLength(1);
  });

  test('two releases of a real operator, from nothing', async ({ page }) => {
    const from = Date.now();
    const real = corpus('bundles/gitops-primer');
    const answer = await preparePicker(page);
    const releases = ['0.0.1', '0.0.4'].map(version => {
      const dir = path.join(newFolder('real'), version);
      fs.cpSync(path.join(real, version), dir, { recursive: true });
      return { dir, name: `gitops-primer.v${version}`, image: `quay.io/migtools/gitops-primer-bundle:v${version}` };
    });
    const dir = await releaseAll(page, 'gitops-primer', releases, answer);
    validate(dir);
    for (const version of VERSIONS)
      expect(Object.keys(tree(path.join(dir, version))).sort()).toEqual(['.indexignore', 'gitops-primer/catalog.yaml']);
    expect(Date.now() - from).toBeLessThan(LIMIT);
  });
});

test('a bundle dropped on the start page creates a catalog', async ({ page }) => {
  await start(page);
  await drop(page, [bundle('1.2.0')]);
  const dialog = page.getByRole('dialog', { name: 'New catalog' });
  await expect(dialog).toContainText('yard.v1.2.0 was dropped');
  await field(dialog, 'Layout', 'one');
  await field(dialog, 'Format', 'json');
  await accessible(page, 'New catalog');
  await dialog.getByRole('button', { name: 'Create' }).click();
  const form = page.getByRole('dialog', { name: 'Add yard.v1.2.0' });
  await field(form, 'Image', 'example.com/yard:v1.2.0');
  await expect(form.getByRole('region', { name: 'Preview' })).toContainText('catalog/catalog.json');
  await apply(form);
  await expect(verdict(page)).toHaveText(PASSES);
});

test('creating a catalog from the source view shows its next step', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  await page.getByRole('tab', { name: 'Source' }).click();
  const dialog = await command(page, 'New catalog…');
  await field(dialog, 'Name', 'begun');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await expect(page.getByRole('heading', { name: /has no packages yet/ })).toBeVisible();
});

test('a package is created step by step, and each step suggests the next', async ({ page, violations }) => {
  await start(page);
  await createCatalog(page, 'catalog', '', 'folders', 'json');
  await accessible(page, 'an empty catalog');

  const lastEdit = page.getByRole('region', { name: 'Last edit' });
  await test.step('the package, with its description and icon', async () => {
    await page.getByRole('button', { name: 'New package…' }).first().click();
    const form = page.getByRole('dialog', { name: 'New package' });
    await field(form, 'Package', 'signal-operator');
    await field(form, 'Default channel', 'stable');
    await field(form, 'Description', '# Signals\n');
    await form.getByLabel('Icon').setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no picture') });
    await expect(form.getByRole('region', { name: 'Preview' })).toContainText('the icon is not in a known image format');
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>';
    await form.getByLabel('Icon').setInputFiles({ name: 'icon.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(svg) });
    await expect(form.getByRole('region', { name: 'Preview' })).toContainText('catalog/signal-operator/catalog.json');
    await accessible(page, 'New package');
    await apply(form);
    await expect(packageItem(page, 'signal-operator')).toBeVisible();
    await expect(lastEdit).toContainText('Not finished');
    await expect(lastEdit).toContainText('signal-operator is not finished: add a channel next, then a bundle');
    await expect(lastEdit).not.toContainText('Worse');
  });

  const missing = page.getByRole('region', { name: 'What is missing' });
  await test.step('a package without channels suggests one', async () => {
    await expect(missing).toContainText('Nothing is in this package yet. Add a channel next');
    await accessible(page, 'a package without channels');
    await missing.getByRole('button', { name: 'Add channel…' }).click();
    const form = page.getByRole('dialog', { name: 'Add channel' });
    await expect(form.getByLabel('Channel', { exact: true })).toHaveValue('stable');
    await expect(form.getByLabel('Channel', { exact: true })).toBeFocused();
    await apply(form);
  });

  await test.step('a channel without entries suggests a bundle', async () => {
    await expect(missing).toContainText('Channel stable has no entries');
    await expect(lastEdit).toContainText('add a bundle to channel stable next');
    await expect(missing.getByRole('button', { name: 'Add bundle from a folder…' })).toBeVisible();
    await missing.getByRole('button', { name: 'Add bundle…' }).click();
    const form = page.getByRole('dialog', { name: 'Add bundle' });
    await field(form, 'Bundle', 'signal-operator.v1.0.0');
    await expect(form.getByLabel('Version', { exact: true })).toHaveValue('1.0.0');
    await expect(form.getByRole('button', { name: 'Apply' })).toBeDisabled();
    await expect(form).toContainText('To apply, fill in Image first.');
    await field(form, 'Image', 'example.com/signal:v1.0.0');
    await field(form, 'To channel', '');
    await apply(form);
  });

  await test.step('a bundle in no channel suggests its fix', async () => {
    await expect(missing).toContainText('No channel lists signal-operator.v1.0.0');
    await accessible(page, 'a bundle in no channel');
    await page.getByRole('button', { name: /Review and save/ }).click();
    const review = page.getByRole('dialog', { name: 'Review changes' });
    const verdicts = review.getByRole('list', { name: 'Verdicts' });
    await expect(verdicts.getByRole('list', { name: 'Errors' })).toContainText('bundle signal-operator.v1.0.0 is in no channel');
    await accessible(page, 'the verdict at the head of a review');
    await page.keyboard.press('Escape');
    await expect(review).toBeHidden();
    const promote = missing.getByRole('button', { name: /^Fix: promote/i });
    await expect(promote, 'a long fix has two lines').toHaveCSS('white-space', 'normal');
    await promote.click();
    const confirm = page.getByRole('dialog', { name: /^Promote signal-operator/ });
    await apply(confirm);
    await expect(missing).toHaveCount(0);
    await expect(verdict(page)).toHaveText(PASSES);
  });

  await test.step('the package is removed again', async () => {
    const form = await command(page, 'Remove package…');
    await apply(form);
    await expect(page.getByRole('heading', { name: /has no packages yet/ })).toBeVisible();
    await page.keyboard.press('ControlOrMeta+z');
    await expect(packageItem(page, 'signal-operator')).toBeVisible();
    await expect(verdict(page)).toHaveText(PASSES);
  });
  expect(violations).toEqual([]);
});

test('a catalog that was never saved survives its tab', async ({ page }) => {
  await start(page);
  await createCatalog(page, 'catalogs', '4.17, 4.18', 'one');
  await drop(page, [bundle('1.2.0')]);
  const form = page.getByRole('dialog', { name: 'Add yard.v1.2.0' });
  await field(form, 'Image', 'example.com/yard:v1.2.0');
  const alsoInGroup = form.getByRole('group', { name: 'Also in' });
  await expect(alsoInGroup).toContainText('1 other catalog can change too. Only this catalog changes.');
  await (await alsoIn(form)).getByRole('button', { name: 'Select all' }).click();
  await expect(alsoInGroup).toContainText('1 other catalog can change too. 1 selected: v4.18.');
  await apply(form);
  page.on('dialog', dialog => { void dialog.accept(); });
  await page.reload();
  await expect(page.locator('#boot')).toHaveCount(0);
  await page.getByRole('list', { name: 'Unsaved edits' }).getByRole('button', { name: 'Continue…' }).click();
  await expect(page.getByText('Resumed 1 edit.')).toBeVisible();
  await choosePackage(page, 'yard');
  for (const version of ['v4.17', 'v4.18'])
    await expect(catalogs(page).getByRole('listitem', { name: new RegExp(`^${version}, ${PASSES}, 1 package`) })).toBeVisible();
});

/// Adds a package with a channel to the current catalog.
async function addPackage(page: Page, name: string): Promise<void> {
  const form = await command(page, 'New package…');
  await field(form, 'Package', name);
  await field(form, 'Default channel', 'stable');
  await apply(form);
  const channel = await command(page, 'Add channel…');
  await field(channel, 'Channel', 'stable');
  await apply(channel);
}

test.describe('set aside by opening another folder', () => {
  const unfinished = (page: Page): Locator => page.getByRole('list', { name: 'Unsaved edits' }).getByRole('listitem');

  async function createCatalogBeside(page: Page, name: string, layout: 'folders' | 'one'): Promise<void> {
    const dialog = await command(page, 'New catalog…');
    await field(dialog, 'Name', name);
    await field(dialog, 'Layout', layout);
    await dialog.getByRole('button', { name: 'Create' }).click();
    // The catalog appears just before its dialog closes, and an open dialog blocks the palette.
    await expect(dialog).toBeHidden();
    await expect(page.getByRole('heading', { name: /has no packages yet/ })).toBeVisible();
  }

  async function replaceBy(page: Page, dir: string, notice: string): Promise<void> {
    await drop(page, [dir]);
    const question = page.getByRole('dialog', { name: /^Open / });
    await expect(question).toContainText(notice);
    await question.getByRole('button', { name: 'Replace' }).click();
    await expect(catalogs(page).or(page.getByText(/opm validate/)).first()).toBeVisible();
    await expect(history(page).getByRole('button')).toHaveCount(0);
  }

  test('a new catalog alone is restored from the start page', async ({ page }) => {
    await start(page);
    await createCatalog(page, 'mycat', '');
    await addPackage(page, 'my-operator');
    await replaceBy(page, fixture('harbor'),
      'Replacing what is open sets aside 2 unsaved edits: reload this page and choose “Continue…” on the start page to continue with them in mycat.');
    await expect(page.getByRole('button', { name: /^Continue with/ })).toHaveCount(0);
    await page.reload();
    await expect(page.locator('#boot')).toHaveCount(0);
    await expect(unfinished(page)).toHaveAccessibleName(/^mycat, 2 edits/);
    await unfinished(page).getByRole('button', { name: 'Continue…' }).click();
    await expect(page.getByText('Resumed 2 edits.')).toBeVisible();
    await expect(packageItem(page, 'my-operator')).toBeVisible();
    await expect(page.getByText('could not be applied again')).toHaveCount(0);
  });

  test('a new catalog beside a folder is restored with the folder', async ({ page }) => {
    const dir = fixture('harbor');
    const answer = await preparePicker(page);
    await openFolder(page, dir);
    await createCatalogBeside(page, 'mycat', 'one');
    await addPackage(page, 'my-operator');
    await waitForOriginal(page, 'mycat/catalog.yaml');
    await replaceBy(page, fixture('beacon'),
      'Replacing what is open sets aside 2 unsaved edits: you can continue with them when you open harbor again. New catalogs come back with them: mycat.');

    const expectRestored = async () => {
      await expect(page.getByText('Resumed 2 edits.')).toBeVisible();
      await expect(page.getByText('could not be applied again')).toHaveCount(0);
      await expect(history(page).getByRole('button')).toHaveCount(2);
      await catalogs(page).getByRole('listitem', { name: /^mycat/ }).getByRole('button').first().click();
      await expect(packageItem(page, 'my-operator')).toBeVisible();
    };
    await test.step('when the folder is opened again', async () => {
      await drop(page, [dir]);
      await page.getByRole('dialog', { name: /^Open / }).getByRole('button', { name: 'Replace' }).click();
      const offer = page.locator('.banner').filter({ hasText: 'Unsaved edits of' });
      await expect(offer).toContainText(': 2 edits.');
      await expect(offer).not.toContainText('has changed');
      await offer.getByRole('button', { name: 'Continue with 2 edits' }).click();
      await expectRestored();
    });
    await test.step('and from the start page', async () => {
      page.on('dialog', dialog => { void dialog.accept(); });
      await page.reload();
      await expect(page.locator('#boot')).toHaveCount(0);
      await unfinished(page).getByRole('button', { name: 'Continue…' }).click();
      await expect(page.getByText('Pick “harbor” again')).toBeVisible();
      await answer(dir);
      await unfinished(page).getByRole('button', { name: 'Continue…' }).press('Enter');
      await expectRestored();
    });
  });

  test('a new catalog stays open beside a folder that is picked again', async ({ page }) => {
    const dir = fixture('harbor');
    await openFolder(page, dir);
    await createCatalogBeside(page, 'mycat', 'one');
    await addPackage(page, 'my-operator');
    const changed = path.join(dir, 'anchor-operator/catalog.yaml');
    fs.appendFileSync(changed, '# changed\n');
    fs.utimesSync(changed, new Date(), new Date(Date.now() + 2_000));
    await page.evaluate(() => dispatchEvent(new Event('focus')));
    await expect(page.getByText('Files changed on disk. Reloading keeps your 2 edits').first()).toBeVisible();
    await page.getByLabel('Pick the folder again').setInputFiles(dir);
    await expect(page.locator('.banner').filter({ hasText: 'Files changed on disk' })).toHaveCount(0);
    await expect(history(page).getByRole('button')).toHaveCount(2);
    await expect(page.getByText('could not be applied again')).toHaveCount(0);
    await catalogs(page).getByRole('listitem', { name: /^mycat/ }).getByRole('button').first().click();
    await expect(packageItem(page, 'my-operator')).toBeVisible();
  });
});
