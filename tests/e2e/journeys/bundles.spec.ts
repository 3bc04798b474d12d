// A new release: a bundle is dropped in any of its forms, and added where the form says.
import fs from 'node:fs';
import path from 'node:path';
import { blob, bundle, catalogs, newFolder, packBundle, savedImage } from '../bundles';
import { PASSES, accessible, apply, choosePackage, command, drop, entry, expect, field, graph, openFolder, packageItem, preparePicker, test, verdict, alsoIn } from '../harness';
import type { Locator, Page } from '@playwright/test';

const history = (page: Page): Locator => page.getByRole('list', { name: 'History' });
const bundleForm = (page: Page, name: string): Locator => page.getByRole('dialog', { name: `Add ${name}` });
const preview = (form: Locator): Locator => form.getByRole('region', { name: 'Preview' });

test('a bundle directory is added as opm renders it, in one step', async ({ page, violations }) => {
  await openFolder(page, catalogs({ 'v4.16': 'yard' }));
  await drop(page, [bundle('1.2.0')]);
  const form = bundleForm(page, 'yard.v1.2.0');

  await test.step('the form describes the bundle and asks for its image', async () => {
    await expect(form.getByRole('group', { name: 'Bundle' })).toContainText('package yard · 1 API · 2 requirements');
    const image = form.getByLabel('Image', { exact: true });
    await expect(image).toHaveValue('example.com/yard:v{{.Version}}');
    await expect(image).toHaveAccessibleDescription(/Filled in from the newest bundle's image/);
    await expect(form.getByRole('checkbox', { name: 'stable' })).toBeChecked();
    await expect(form.getByRole('checkbox', { name: 'fast' })).not.toBeChecked();
    await expect(preview(form)).toContainText('image: example.com/yard:v1.2.0');
    await accessible(page, 'the form of a dropped bundle');
  });

  await test.step('it goes to several channels at once, as in Promote bundle…', async () => {
    await form.getByRole('checkbox', { name: 'fast' }).check();
    await expect(preview(form)).toContainText('replaces: yard.v1.1.0');
    await field(form, 'As', 'head');
    await field(form, 'Skip range', '>=1.0.0 <1.2.0');
    await expect(preview(form)).toContainText('skipRange: \'>=1.0.0 <1.2.0\'');
    await apply(form);
    await expect(history(page)).toContainText('Add yard.v1.2.0 to stable, fast');
    await expect(entry(page, 'yard.v1.2.0', 'stable')).toBeVisible();
    await expect(entry(page, 'yard.v1.2.0', 'fast')).toBeVisible();
    await expect(verdict(page)).toHaveText(PASSES);
  });

  await page.keyboard.press('ControlOrMeta+z');
  await expect(entry(page, 'yard.v1.2.0', 'stable')).toHaveCount(0);
  await expect(history(page).getByRole('listitem')).toHaveCount(1);
  expect(violations).toEqual([]);
});

test('the drop target determines the channels', async ({ page }) => {
  await openFolder(page, catalogs({ 'v4.16': 'yard' }));
  await choosePackage(page, 'yard');
  const lane = graph(page).getByRole('button', { name: /^Channel fast/ });
  await drop(page, [bundle('1.2.0')], lane);
  const form = bundleForm(page, 'yard.v1.2.0');
  await expect(form.getByRole('checkbox', { name: 'fast' })).toBeChecked();
  await expect(form.getByRole('checkbox', { name: 'stable' })).not.toBeChecked();
  await page.keyboard.press('Escape');
  await expect(form).toBeHidden();
  await drop(page, [bundle('1.2.0')], packageItem(page, 'yard').getByRole('button'));
  await expect(form.getByRole('checkbox', { name: 'stable' })).toBeChecked();

  await test.step('the preview stays while another channel is typed', async () => {
    await expect(preview(form)).toContainText('name: yard.v1.2.0');
    await preview(form).evaluate(region => {
      const check = (): void => { if (region.textContent?.includes('Fill in the form')) region.setAttribute('data-emptied', ''); };
      new MutationObserver(check).observe(region, { childList: true, subtree: true, characterData: true });
    });
    const other = form.getByLabel('Other channels', { exact: true });
    await other.click();
    const before = await other.boundingBox();
    await page.keyboard.type('beta', { delay: 60 });
    await expect(preview(form)).toContainText('name: beta');
    await expect(other).toHaveValue('beta');
    expect(await other.boundingBox()).toEqual(before);
    await expect(preview(form)).not.toHaveAttribute('data-emptied');
  });
});

test('each form of a bundle is recognized', async ({ page }) => {
  await openFolder(page, catalogs({ 'v4.16': 'yard' }));
  const two = path.join(newFolder('blobs'), 'bundles.yaml');
  fs.writeFileSync(two, blob('1.3.0') + blob('1.2.0'));
  const dir = bundle('1.2.0');
  for (const [what, file, name] of [
    ['a gzipped tar', packBundle(dir), 'yard.v1.2.0'], ['a saved image', savedImage(dir), 'yard.v1.2.0'],
    ['blobs', two, '2 bundles'],
  ] as const) {
    await test.step(what, async () => {
      await drop(page, [file]);
      const form = bundleForm(page, name);
      await expect(preview(form)).toContainText('name: yard.v1.2.0');
      await page.keyboard.press('Escape');
      await expect(form).toBeHidden();
    });
  }
  await test.step('two releases are added in one step, each placed by its version', async () => {
    await drop(page, [two]);
    const form = bundleForm(page, '2 bundles');
    await expect(form).toContainText('Each bundle is placed by its version.');
    await apply(form);
    await expect(history(page)).toContainText('Add 2 bundles to stable');
    await expect(entry(page, 'yard.v1.3.0', 'stable')).toHaveAccessibleName(/head/);
    await expect(verdict(page)).toHaveText(PASSES);
  });
  await test.step('an existing bundle is not changed', async () => {
    await drop(page, [two]);
    const form = bundleForm(page, '2 bundles');
    await expect(form.getByRole('checkbox', { name: 'yard.v1.2.0' })).toHaveAccessibleDescription(/it is not changed/);
  });
});

test('a missing package is created from the bundle, in every catalog', async ({ page }) => {
  await openFolder(page, catalogs({ 'v4.16': 'yard', 'v4.17': 'rail', 'v4.18': 'rail' }));
  await page.getByRole('list', { name: 'Catalogs' }).getByRole('listitem', { name: /^v4\.17/ }).click();
  await expect(packageItem(page, 'rail')).toBeVisible();
  await drop(page, [bundle('1.2.0')]);
  const form = bundleForm(page, 'yard.v1.2.0');
  await expect(form).toContainText('The catalog does not have package yard yet. It is created from the bundle.');
  await expect(form.getByRole('checkbox', { name: 'stable' })).toBeChecked();
  await field(form, 'Image', 'example.com/yard:v1.2.0');
  const alsoInGroup = await alsoIn(form);
  await expect(alsoInGroup.getByRole('checkbox', { name: 'v4.18' }), 'a package that is new').not.toBeChecked();
  await expect(alsoInGroup.getByRole('checkbox', { name: 'v4.16' })).not.toBeChecked();
  await expect(alsoInGroup.getByRole('checkbox', { name: 'v4.16' })).toHaveAccessibleDescription(/package yard already exists/);
  await alsoInGroup.getByRole('button', { name: 'Select all' }).click();
  await apply(form);
  await expect(history(page)).toContainText('Add yard.v1.2.0 to stable, in 3 catalogs');
  await expect(graph(page)).toHaveAccessibleName('Upgrade graph of yard');
  for (const name of [/^v4\.16/, /^v4\.17/, /^v4\.18/])
    await expect(page.getByRole('list', { name: 'Catalogs' }).getByRole('listitem', { name })).toHaveAccessibleName(/Passes opm validate.*edited/);
  await page.keyboard.press('ControlOrMeta+z');
  await expect(packageItem(page, 'yard')).toHaveCount(0);
  await expect(packageItem(page, 'rail')).toBeVisible();
});

test('a dropped bundle gets advice about ignored files, and an invalid one is refused with the reason and the line', async ({ page }) => {
  await openFolder(page, catalogs({ 'v4.16': 'yard' }));
  const dir = bundle('1.2.0');
  fs.writeFileSync(path.join(dir, 'manifests/notes.yaml'), 'a: [\n');
  await drop(page, [dir]);
  const accepted = bundleForm(page, 'yard.v1.2.0');
  await expect(accepted.getByRole('region', { name: 'Advice' })).toContainText('manifests/notes.yaml');
  await expect(preview(accepted)).toContainText('image: example.com/yard:v1.2.0');
  await accessible(page, 'advice about a dropped bundle');
  await page.keyboard.press('Escape');
  await expect(accepted).toBeHidden();

  await drop(page, [bundle('1.2.0', csv => csv.replace('version: v1\n', 'version: v9\n'))]);
  const form = page.getByRole('dialog', { name: 'Not added' });
  const refusal = form.locator('.refusal');
  await expect(refusal).toContainText('error checking provided apis in bundle yard.v1.2.0');
  await expect(refusal).toContainText(/manifests\/yard\.clusterserviceversion\.yaml:\d+/);
  await expect(refusal).toContainText('add the CustomResourceDefinition');
  await expect(form.getByRole('button', { name: 'Apply' })).toHaveCount(0);
  await accessible(page, 'a refused bundle');
});

test('a drop over an open form is refused until it is closed, but Add bundle takes its files', async ({ page }) => {
  await openFolder(page, catalogs({ 'v4.16': 'yard' }));
  await choosePackage(page, 'yard');
  const form = await command(page, 'Add channel…');
  await field(form, 'Channel', 'candidate');
  await drop(page, [bundle('1.2.0')]);
  await expect(form).toContainText('The files were not opened: close the dialog, then drop them again.');
  await expect(form.getByLabel('Channel', { exact: true })).toHaveValue('candidate');
  await apply(form);
  await drop(page, [bundle('1.2.0')]);
  const added = bundleForm(page, 'yard.v1.2.0');
  await expect(added.getByRole('checkbox', { name: 'candidate' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(added).toBeHidden();

  const fields = await command(page, 'Add bundle…');
  await field(fields, 'Image', 'example.com/typed:v1');
  await drop(page, [bundle('1.2.0')]);
  await expect(added.getByRole('checkbox', { name: 'stable' })).toBeChecked();
  await page.keyboard.press('Escape');
  await expect(added).toBeHidden();
  await command(page, 'Add bundle…');
  await expect(fields.getByLabel('Image', { exact: true }), 'the typed text is kept').toHaveValue('example.com/typed:v1');
});

test('a bundle is added with the keyboard only', async ({ page }) => {
  const answer = await preparePicker(page);
  await openFolder(page, catalogs({ 'v4.16': 'yard' }));
  await answer(bundle('1.2.0'));
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type('bundle from a folder');
  await page.keyboard.press('Enter');
  const form = bundleForm(page, 'yard.v1.2.0');
  await expect(form).toBeVisible();
  await expect(preview(form)).toContainText('replaces: yard.v1.1.0');
  await form.getByRole('checkbox', { name: 'fast' }).focus();
  await page.keyboard.press('Space');
  await form.getByLabel('Skip range').focus();
  await page.keyboard.press('Enter');
  await expect(form).toBeHidden();
  await expect(history(page)).toContainText('Add yard.v1.2.0 to stable, fast');

  await test.step('a new catalog afterwards does not use the dropped bundle', async () => {
    const dialog = await command(page, 'New catalog…');
    await expect(dialog.getByLabel('Name', { exact: true })).toBeFocused();
    await expect(dialog).not.toContainText('was dropped');
    await expect(dialog.getByRole('button', { name: 'Open as a catalog instead' })).toHaveCount(0);
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
  });

  await test.step('the form without files says how to provide them', async () => {
    await choosePackage(page, 'yard');
    await answer(bundle('1.3.0'));
    const fields = await command(page, 'Add bundle…');
    await fields.getByRole('button', { name: 'Add bundle from a folder…' }).press('Enter');
    await expect(bundleForm(page, 'yard.v1.3.0')).toBeVisible();
  });
});

test('other drops are opened as usual', async ({ page }) => {
  await openFolder(page, catalogs({ 'v4.16': 'yard' }));
  await drop(page, [catalogs({ 'v4.18': 'rail' })]);
  await expect(page.getByRole('dialog', { name: /^Open / })).toBeVisible();
  await page.keyboard.press('Escape');
  await drop(page, [bundle('1.2.0')]);
  await bundleForm(page, 'yard.v1.2.0').getByRole('button', { name: 'Open as a catalog instead' }).click();
  await expect(page.getByRole('dialog', { name: /^Open / })).toBeVisible();
});
