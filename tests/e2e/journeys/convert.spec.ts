// Templates are converted with a preview of the text, refused with the differences, and edited by substitutions.
import fs from 'node:fs';
import path from 'node:path';
import { blob, catalogs } from '../bundles';
import { PASSES, accessible, apply, choosePackage, command, entry, expect, field, fixture, onlyHere, openFolder, openRepository, test, verdict } from '../harness';
import type { Locator, Page } from '@playwright/test';

const template = (page: Page, name: string): Locator =>
  page.getByRole('list', { name: 'Templates' }).getByRole('listitem', { name: new RegExp(`^${name.replace(/[().]/g, '\\$&')},`) });
const preview = (form: Locator): Locator => form.getByRole('region', { name: 'Preview' });
const conversion = (page: Page): Locator => page.getByRole('dialog', { name: 'Convert template' });
const history = (page: Page): Locator => page.getByRole('list', { name: 'History' });

test('an edit that a semver template cannot express leads to its conversion, and one undo reverts it', async ({ page, violations }) => {
  await openRepository(page, fixture('lighthouse'), 'lens-operator', 'v4.19');
  await template(page, 'semver.yaml').getByRole('button').click();
  await expect(verdict(page)).toHaveText(PASSES);

  await test.step('the palette gives the reason, and leads to the conversion', async () => {
    const palette = page.getByRole('dialog', { name: 'Command palette' });
    await page.keyboard.press('ControlOrMeta+k');
    await expect(palette.getByRole('option', { name: /^Promote bundle/ })).toBeVisible();
    await expect(palette.getByRole('option', { name: /^Set replaces/ }), 'only once it is typed').toHaveCount(0);
    await palette.getByRole('combobox').fill('Set replaces');
    await palette.getByRole('option', { name: /^Set replaces…, command, a semver template cannot express this/ }).click();
    await expect(conversion(page)).toContainText('Set replaces: a semver template cannot express this');
    await page.keyboard.press('Escape');
    await expect(conversion(page)).toBeHidden();
  });

  await test.step('so does the refusal of a value', async () => {
    const form = await command(page, 'Remove entry…');
    await field(form, 'Channel', 'stable-v0');
    await field(form, 'Entry', 'lens-operator.v0.4.0');
    await field(form, 'Then', 'skip');
    await expect(preview(form)).toContainText('a semver template cannot express this');
    await preview(form).getByRole('button', { name: 'Convert template…' }).press('Enter');
  });

  await test.step('the converted text is previewed', async () => {
    const dialog = conversion(page);
    await expect(dialog).toContainText('semver.yaml is a semver template');
    await expect(dialog.getByRole('radio', { name: 'Basic' })).toBeChecked();
    await expect(preview(dialog)).toContainText('schema: olm.template.basic');
    await expect(preview(dialog)).toContainText('replaces: lens-operator.v0.3.0');
    await accessible(page, 'Convert template');
    await dialog.getByRole('button', { name: 'Convert' }).click();
    await expect(dialog).toBeHidden();
    await expect(history(page)).toContainText('Convert semver.yaml to a basic template');
    await expect(verdict(page)).toHaveText(PASSES);
  });

  await test.step('the edit is now possible', async () => {
    const form = await command(page, 'Set skip range…');
    await field(form, 'Channel', 'stable-v0');
    await field(form, 'Entry', 'lens-operator.v0.4.0');
    await field(form, 'Skip range', '<0.4.0');
    await expect(preview(form)).toContainText("skipRange: <0.4.0");
    await apply(form);
  });

  await page.keyboard.press('ControlOrMeta+z');
  await page.keyboard.press('ControlOrMeta+z');
  await expect(page.getByRole('button', { name: 'Review and save' })).toHaveText('Review and save');
  expect(violations).toEqual([]);
});

test('a graph that no semver template produces is refused with the differences', async ({ page }) => {
  await openRepository(page, fixture('lighthouse'), 'lamp-operator', 'v4.19');
  await template(page, 'basic.yaml').getByRole('button').click();
  await page.getByRole('note', { name: 'Template', exact: true }).getByRole('button', { name: 'Convert template…' }).press('Enter');
  const dialog = conversion(page);
  await expect(dialog.getByRole('radio', { name: 'Semver' })).toBeChecked();
  await expect(dialog).toContainText('No semver template makes this graph');
  await expect(dialog.getByRole('list', { name: 'Differences' }).getByRole('listitem').first()).toContainText('stable');
  await expect(dialog.getByRole('button', { name: 'Convert' })).toBeDisabled();
  await accessible(page, 'a conversion that is refused');
  await dialog.getByRole('radio', { name: 'Substitutes' }).click();
  await expect(preview(dialog)).toContainText('schema: olm.template.substitutes');
  await expect(dialog.getByRole('button', { name: 'Convert' })).toBeEnabled();
});

test('a template is made of a catalog, and one undo removes it', async ({ page, violations }) => {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  const form = await command(page, 'Make a template…');
  await expect(form.getByRole('combobox', { name: 'Package' })).toHaveValue('anchor-operator');
  await expect(form).toContainText('A file that renders to anchor-operator as it is now.');
  await expect(preview(form)).toContainText('schema: olm.template.basic');
  await expect(preview(form)).toContainText('catalog-templates/basic.yaml');
  await accessible(page, 'Make a template');

  await test.step('a refusal has its reason', async () => {
    await form.getByLabel('File').fill('elsewhere/t.yaml');
    await expect(preview(form)).toContainText('no folder elsewhere is open');
    await form.getByLabel('File').fill('');
    await form.getByRole('radio', { name: 'Semver' }).click();
    await expect(form).toContainText('No semver template makes this graph');
    await expect(form.getByRole('list', { name: 'Differences' }).getByRole('listitem').first()).toBeVisible();
  });

  // Pressed at once: the template must match the form, not its last preview.
  await form.getByRole('radio', { name: 'Basic' }).click();
  await form.getByRole('button', { name: 'Make template' }).click();
  await expect(form).toBeHidden();
  await expect(history(page)).toContainText('Make a basic template of anchor-operator');
  await expect(page.getByRole('button', { name: /^Review and save · 1 file/ })).toBeVisible();
  await template(page, 'basic.yaml').getByRole('button').click();
  await page.getByRole('note', { name: 'Template', exact: true }).getByRole('button', { name: 'Show rendered catalog' }).click();
  await expect(verdict(page)).toHaveText(PASSES);
  await page.keyboard.press('ControlOrMeta+z');
  await expect(page.getByRole('button', { name: 'Review and save', exact: true })).toBeVisible();
  expect(violations).toEqual([]);
});

/// A substitutes template of two releases of `yard`, and a catalog that has another one.
function substitutes(): string {
  const parent = catalogs({ 'v4.18': 'yard' });
  fs.appendFileSync(path.join(parent, 'v4.18/yard/catalog.yaml'), blob('1.1.1') + blob('1.0.0'));
  const item = (version: string): string => `- ${blob(version).replace('---\n', '').trimEnd().replaceAll('\n', '\n  ')}\n`;
  fs.mkdirSync(path.join(parent, 'templates'));
  fs.writeFileSync(path.join(parent, 'templates/substitutes.yaml'), `schema: olm.template.substitutes
entries:
- schema: olm.package
  name: yard
  defaultChannel: stable # the only one
- schema: olm.channel
  package: yard
  name: stable
  entries:
  - name: yard.v1.0.0
  - name: yard.v1.1.0
    replaces: yard.v1.0.0
${item('1.0.0')}${item('1.1.0')}`);
  return parent;
}

test('a substitution is made in the rendered graph, with both diffs', async ({ page }) => {
  await openFolder(page, substitutes());
  await template(page, 'substitutes.yaml').getByRole('button').click();
  await page.getByRole('note', { name: 'Template', exact: true }).getByRole('button', { name: 'Show rendered catalog' }).click();

  await test.step('a bundle replaces another', async () => {
    await entry(page, 'yard.v1.1.0', 'stable').click();
    const form = await command(page, 'Substitute bundle…');
    await expect(form.getByLabel('Bundle', { exact: true })).toHaveValue('yard.v1.1.0');
    await field(form, 'Image', 'example.com/yard:v1.1.1');
    await expect(preview(form)).toContainText('- name: example.com/yard:v1.1.1');
    await expect(preview(form)).toContainText('What the template renders to; it is not saved.');
    await expect(preview(form)).toContainText('name: yard.v1.1.1');
    await accessible(page, 'Substitute bundle');
    await apply(form);
    await expect(entry(page, 'yard.v1.1.1', 'stable')).toHaveAccessibleName(/head/);
    await expect(history(page)).toContainText('Substitute yard.v1.1.0 by example.com/yard:v1.1.1');
  });

  await test.step('edges of a substituted bundle must be edited in the template', async () => {
    await entry(page, 'yard.v1.1.1', 'stable').click();
    const form = await command(page, 'Set replaces…');
    await field(form, 'Replaces', 'none');
    await expect(preview(form)).toContainText('yard.v1.1.1 has the edges of yard.v1.1.0');
    await expect(preview(form).getByRole('button', { name: 'Convert template…' })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(form).toBeHidden();
  });

  await test.step('removing the bundle removes the substitution', async () => {
    const form = await command(page, 'Remove bundle…');
    await expect(form.getByLabel('Then', { exact: true })).toBeFocused();
    await expect(preview(form)).toContainText('- name: example.com/yard:v1.1.1');
    await onlyHere(form);
    await apply(form);
    await expect(entry(page, 'yard.v1.1.1', 'stable')).toHaveCount(0);
  });
});
