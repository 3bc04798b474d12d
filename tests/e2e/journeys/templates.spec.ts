// Templates: shown and edited as the sources of catalogs, with a warning before a rendered file is edited.
import { accessible, apply, choosePackage, command, entry, expect, field, fixture, graph, openFolder, openRepository, packageItem, test, verdict, onlyHere } from '../harness';
import type { Locator, Page } from '@playwright/test';
import fs from 'node:fs';
import path from 'node:path';

const HEAD = 'lamp-operator.v1.2.0';
const NOTE = 'Rendered from a template';

const template = (page: Page, name: string): Locator =>
  page.getByRole('list', { name: 'Templates' }).getByRole('listitem', { name: new RegExp(`^${name.replace(/[().]/g, '\\$&')},`) });
const catalog = (page: Page, name: string): Locator =>
  page.getByRole('list', { name: 'Catalogs' }).getByRole('listitem', { name: new RegExp(`^${name.replace(/[().]/g, '\\$&')},`) });
const lane = (page: Page, channel: string): Locator => graph(page).getByRole('button', { name: new RegExp(`^Channel ${channel},`) });
const rendered = (page: Page): Locator => page.getByRole('note', { name: 'Rendered catalog' });
const preview = (form: Locator): Locator => form.getByRole('region', { name: 'Preview' });

test('a template is shown and edited in place', async ({ page }) => {
  await openRepository(page, fixture('lighthouse'), 'lamp-operator', 'v4.19');

  await test.step('catalogs keep their verdicts, templates have none', async () => {
    await expect(catalog(page, 'v4.18')).toHaveAccessibleName(/Passes opm validate/);
    await expect(template(page, 'basic.yaml')).toHaveAccessibleName('basic.yaml, Template without errors, 1 package');
    await template(page, 'basic.yaml').getByRole('button').click();
    await expect(verdict(page)).toHaveText('Template without errors');
    await expect(page.getByText('Until it is rendered, only the images of its bundles are known: 3 images').first()).toBeVisible();
    await expect(page.getByText('Rendered into v4.18, v4.19')).toBeVisible();
  });

  await test.step('its channels and entries are drawn', async () => {
    await choosePackage(page, 'lamp-operator');
    await expect(entry(page, HEAD, 'candidate')).toHaveAccessibleName(/head/);
    await expect(entry(page, 'lamp-operator.v1.1.0', 'stable')).toHaveAccessibleName(/default channel/);
    await accessible(page, 'template');
  });

  await test.step('a bundle is promoted in the template', async () => {
    await entry(page, HEAD, 'candidate').click();
    const form = await command(page, 'Promote bundle…');
    await expect(form.getByRole('note', { name: NOTE })).toHaveCount(0);
    await field(form, 'To channel', 'stable');
    await expect(preview(form)).toContainText('basic.yaml');
    await expect(preview(form)).toContainText('replaces: lamp-operator.v1.1.0');
    await apply(form);
    await expect(entry(page, HEAD, 'stable')).toHaveAccessibleName(/head/);
    await expect(template(page, 'basic.yaml')).toHaveAccessibleName(/edited/);
  });

  await test.step('an image is changed in the template', async () => {
    const form = await command(page, 'Set image…');
    await field(form, 'Bundle', HEAD);
    await field(form, 'Image', 'registry.example.com/light/lamp-bundle:v9');
    await expect(preview(form)).toContainText('lamp-bundle:v9');
    await form.getByRole('button', { name: 'Cancel' }).click();
    await expect(form).toBeHidden();
  });

  await test.step('a broken chain is reported with its line, and undone', async () => {
    await entry(page, 'lamp-operator.v1.1.0', 'stable').click();
    const form = await command(page, 'Set replaces…');
    await field(form, 'Replaces', 'none');
    await apply(form);
    await expect(verdict(page)).toHaveText(/Template with errors: 1 error/);
    await expect(page.getByRole('region', { name: 'Problems' })).toContainText('basic.yaml:');
    await page.keyboard.press('ControlOrMeta+z');
    await page.keyboard.press('ControlOrMeta+z');
    await expect(verdict(page)).toHaveText('Template without errors');
    await expect(page.getByRole('button', { name: 'Review and save' })).toHaveText('Review and save');
  });
});

test('a warning precedes the edit of a rendered file', async ({ page }) => {
  await openRepository(page, fixture('lighthouse'), 'lamp-operator', 'v4.19');
  await catalog(page, 'v4.19').getByRole('button').click();
  await choosePackage(page, 'lamp-operator');

  await test.step('the form switches to the template and keeps its values', async () => {
    await entry(page, HEAD, 'candidate').click();
    const form = await command(page, 'Promote bundle…');
    const note = form.getByRole('note', { name: NOTE });
    await expect(note).toContainText('This file is rendered from basic.yaml: the next render will lose this edit.');
    await field(form, 'To channel', 'stable');
    await expect(preview(form)).toContainText('Probably rendered from');
    await accessible(page, 'note in a form');
    await note.getByRole('button', { name: 'Edit the template instead' }).press('Enter');
    await expect(note).toHaveCount(0);
    await expect(form.getByLabel('Catalog', { exact: true })).toHaveValue('basic.yaml');
    await expect(form.getByLabel('To channel', { exact: true })).toHaveValue('stable');
    await expect(preview(form)).toContainText('catalog-templates/basic.yaml');
    await onlyHere(form);
    await apply(form);
    await expect(page.getByRole('list', { name: 'Templates' }).locator('[aria-current=true]')).toHaveCount(1);
    await expect(entry(page, HEAD, 'stable')).toHaveAccessibleName(/head/);
  });

  await test.step('or edits the rendered file, and the review repeats the warning', async () => {
    await catalog(page, 'v4.18').getByRole('button').click();
    await expect(graph(page)).toBeVisible();
    const form = await command(page, 'Set default channel…');
    await field(form, 'Channel', 'candidate');
    await form.getByRole('button', { name: 'Edit here anyway' }).click();
    await expect(form.getByRole('note', { name: NOTE })).toHaveCount(0);
    await onlyHere(form);
    await apply(form);
    await page.getByRole('button', { name: /^Review and save/ }).click();
    const review = page.getByRole('dialog', { name: 'Review changes' });
    await expect(review.getByRole('group', { name: /v4\.18\/lamp-operator\/catalog\.yaml/ })).toContainText('the next render will lose this edit');
    await expect(review.getByRole('group', { name: /basic\.yaml/ })).not.toContainText('the next render');
    await accessible(page, 'review');
  });
});

test('the folder of one operator without catalogs has templates and no verdict of opm', async ({ page }) => {
  await openFolder(page, path.join(fixture('lighthouse'), 'operators/lamp-operator'));
  await expect(verdict(page)).toHaveText('Template without errors');
  await expect(page.getByText('There are templates here and no catalog')).toBeVisible();
  await expect(page.getByRole('list', { name: 'Catalogs' }).getByRole('listitem')).toHaveCount(0);
  await expect(template(page, 'basic.yaml')).toBeVisible();
  await accessible(page, 'templates without a catalog');
});

test('the source of a rendered file links to its template', async ({ page }) => {
  await openRepository(page, fixture('lighthouse'), 'lamp-operator', 'v4.19');
  await choosePackage(page, 'lamp-operator');
  await page.getByRole('tab', { name: 'Source' }).click();
  const note = page.getByRole('note', { name: NOTE });
  await expect(note).toContainText('the next render will lose edits made here');
  await accessible(page, 'note above the source');
  await note.getByRole('button', { name: 'Show the template' }).click();
  await expect(verdict(page)).toHaveText('Template without errors');
  await expect(note).toHaveCount(0);
});

test('a semver template is drawn as its rendered catalog', async ({ page }) => {
  await openRepository(page, fixture('lighthouse'), 'lens-operator', 'v4.19');
  await expect(template(page, 'semver.yaml')).toHaveAccessibleName('semver.yaml, semver template');
  const editor = page.getByRole('region', { name: 'Source of semver.yaml' });

  await test.step('its graph is that of the rendered catalog', async () => {
    await template(page, 'semver.yaml').getByRole('button').press('Enter');
    await expect(rendered(page)).toContainText('Preview of what semver.yaml renders');
    await expect(lane(page, 'stable-v0')).toBeVisible();
    await accessible(page, 'semver template');
  });

  await test.step('edges and channel names that it computes are no fields', async () => {
    await entry(page, 'lens-operator.v0.4.0', 'stable-v0').click();
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    const computed = inspector.getByRole('region', { name: 'Edit in place' });
    await expect(computed).toContainText('lens-operator.v0.3.0');
    await expect(computed).toContainText('follow from the versions of the bundles');
    await expect(computed.getByRole('textbox')).toHaveCount(0);
    await expect(graph(page).locator('.grip-dot, [data-star]'), 'nothing to drag').toHaveCount(0);
    await accessible(page, 'fields that a template computes');
    await entry(page, 'lens-operator.v0.4.0', 'stable-v0').click({ button: 'right' });
    const menu = page.getByRole('menu', { name: 'lens-operator.v0.4.0 in stable-v0' });
    await expect(menu.getByRole('menuitem', { name: /^Promote bundle/ })).toBeVisible();
    await expect(menu.getByRole('menuitem', { name: /^Set replaces/ })).toHaveCount(0);
    await page.keyboard.press('Escape');
    await lane(page, 'stable-v0').click();
    await expect(computed).toContainText('stable-v0');
  });

  await test.step('bundles are promoted to its lists, without edges', async () => {
    await entry(page, 'lens-operator.v0.4.0', 'stable-v0').click();
    const form = await command(page, 'Promote bundle…');
    await form.getByLabel('To channel', { exact: true }).press('ArrowDown');
    await expect(form.getByRole('listbox').getByRole('option')).toHaveText([/^candidate/, /^fast/, /^stable.*lists it already/]);
    await expect(form.getByLabel('Skip range')).toBeHidden();
    await page.keyboard.press('Escape');
    await form.getByRole('button', { name: 'Cancel' }).click();
    await expect(form).toBeHidden();
  });

  await test.step('a click shows its text, and another one the graph', async () => {
    await rendered(page).getByRole('button', { name: 'Show template' }).click();
    await expect(editor).toContainText('GenerateMajorChannels: true');
    await expect(page.getByText(/It generates a channel for each major version from stable/).first()).toBeVisible();
    await expect(page.getByText('Rendered into v4.19 (channels: stable-v0)')).toBeVisible();
    await page.getByRole('tab', { name: 'Graph' }).click();
    await expect(lane(page, 'stable-v0')).toBeVisible();
  });

  await catalog(page, 'v4.19').getByRole('button').click();
  await packageItem(page, 'lens-operator').click();
  await expect(page.getByRole('heading', { name: 'lens-operator', level: 1 })).toBeVisible();
  const form = await command(page, 'Set description…');
  await form.getByRole('button', { name: 'Edit the template as text' }).click();
  await expect(form).toBeHidden();
  await expect(editor).toBeVisible();
});

test('an edit of a semver template changes the drawn graph', async ({ page, violations }) => {
  await openRepository(page, fixture('lighthouse'), 'lens-operator', 'v4.19');
  await template(page, 'semver.yaml').getByRole('button').press('Enter');
  await expect(entry(page, 'lens-operator.v0.4.0', 'stable-v0')).toHaveAccessibleName(/head/);
  await expect(lane(page, 'stable-v0.4')).toHaveCount(0);
  await rendered(page).getByRole('button', { name: 'Show template' }).click();

  const area = page.getByRole('textbox', { name: 'Text: Source of semver.yaml' });
  await expect(area).toHaveValue(/GenerateMinorChannels: false/);
  await area.evaluate((element: HTMLTextAreaElement) => {
    const place = element.value.indexOf('false', element.value.indexOf('GenerateMinorChannels'));
    element.focus();
    element.setSelectionRange(place, place + 'false'.length);
    element.dispatchEvent(new MouseEvent('mouseup'));
  });
  await page.keyboard.type('true');
  await page.getByRole('tab', { name: 'Graph' }).click();
  await expect(entry(page, 'lens-operator.v0.4.0', 'stable-v0.4')).toHaveAccessibleName(/head/);
  await expect(entry(page, 'lens-operator.v0.3.0', 'stable-v0.3')).toHaveAccessibleName(/head/);
  await expect(template(page, 'semver.yaml')).toHaveAccessibleName(/edited/);

  await page.getByRole('button', { name: 'Undo', exact: true }).first().click();
  await expect(lane(page, 'stable-v0.4')).toHaveCount(0);
  await expect(lane(page, 'stable-v0')).toBeVisible();
  expect(violations).toEqual([]);
});

test('a semver template that cannot be rendered shows the reason and its line', async ({ page }) => {
  const folder = fixture('lighthouse');
  const file = path.join(folder, 'operators/lens-operator/catalog-templates/semver.yaml');
  const text = fs.readFileSync(file, 'utf8');
  fs.writeFileSync(file, text.replace('GenerateMajorChannels: true', 'GenerateMajorChannels: perhaps'));
  await openRepository(page, folder, 'lens-operator', 'v4.19');
  await template(page, 'semver.yaml').getByRole('button').click();
  const reason = page.getByRole('region', { name: /^semver\.yaml cannot be rendered$/ });
  await expect(reason).toContainText(/GenerateMajorChannels|bool/);
  await expect(verdict(page)).toHaveText('Cannot be rendered');
  await expect(rendered(page)).toContainText('Nothing is rendered from semver.yaml.');
  await accessible(page, 'a template that cannot be rendered');
  await reason.getByRole('button', { name: 'Go to line 3' }).click();
  const area = page.getByRole('textbox', { name: 'Text: Source of semver.yaml' });
  await expect(area).toBeFocused();
  await page.keyboard.press('Home');
  await page.keyboard.type('#');
  await expect(area).toHaveValue(/^#GenerateMajorChannels: perhaps$/m);
});

const BASIC = 'operators/lamp-operator/catalog-templates/basic.yaml';

test('the rendered catalog is beside its template and follows its edits', async ({ page }) => {
  await openRepository(page, fixture('lighthouse'), 'lamp-operator', 'v4.19');
  await template(page, 'basic.yaml').getByRole('button').click();
  await page.getByRole('note', { name: 'Template', exact: true }).getByRole('button', { name: 'Show rendered catalog' }).click();

  await test.step('it is a read-only catalog with a verdict', async () => {
    await expect(rendered(page)).toContainText('Preview of what basic.yaml renders. Edits change the template.');
    await expect(rendered(page)).toContainText('It uses 3 bundles from v4.19.');
    await expect(verdict(page)).toHaveText('Passes opm validate');
    await expect(template(page, 'basic.yaml (rendered)')).toHaveAccessibleName(/Passes opm validate, 1 package/);
    await expect(entry(page, HEAD, 'candidate')).toHaveAccessibleName(/head/);
    await accessible(page, 'rendered catalog');
  });

  await test.step('an entry leads to the line that produced it', async () => {
    await entry(page, 'lamp-operator.v1.1.0', 'stable').click();
    await page.getByRole('tab', { name: 'Source' }).click();
    await expect(page.getByText('the last one without fog signals')).toBeVisible();
    await page.getByRole('tab', { name: 'Graph' }).click();
  });

  await test.step('an edit changes the template, with both diffs', async () => {
    const form = await command(page, 'Promote bundle…');
    await expect(form.getByRole('note', { name: NOTE })).toHaveCount(0);
    await field(form, 'Bundle', HEAD);
    await field(form, 'To channel', 'stable');
    await expect(preview(form)).toContainText('What the template renders to; it is not saved.');
    await expect(preview(form)).toContainText('catalog-templates/basic.yaml');
    await onlyHere(form);
    await apply(form);
    await expect(entry(page, HEAD, 'stable')).toHaveAccessibleName(/head/);
    await page.getByRole('button', { name: /^Review and save/ }).click();
    const review = page.getByRole('dialog', { name: 'Review changes' });
    await expect(review.getByRole('group', { name: /\.yaml/ })).toHaveCount(1);
    await expect(review.getByRole('group', { name: /basic\.yaml/ })).toContainText('replaces: lamp-operator.v1.1.0');
    await review.getByRole('button', { name: 'Close' }).first().click();
    await page.keyboard.press('ControlOrMeta+z');
    await expect(entry(page, HEAD, 'stable')).toHaveCount(0);
  });
});

test('missing bundles are listed with their lines, and the rest is shown', async ({ page }) => {
  const folder = fixture('lighthouse');
  fs.appendFileSync(path.join(folder, BASIC), '  - schema: olm.bundle\n    image: registry.example.com/light/lamp-bundle:v1.3.0\n');
  await openRepository(page, folder, 'lamp-operator', 'v4.19');
  await template(page, 'basic.yaml').getByRole('button').click();
  await page.getByRole('note', { name: 'Template', exact: true }).getByRole('button', { name: 'Show rendered catalog' }).click();
  await expect(rendered(page)).toBeVisible();
  await expect(verdict(page)).toHaveText('Not validated: 1 bundle is in none of the open files');
  await expect(template(page, 'basic.yaml (rendered)')).toHaveAccessibleName(/Not validated: 1 bundle is in none of the open files/);
  await expect(entry(page, HEAD, 'candidate')).toHaveAccessibleName(/head/);
  await rendered(page).getByText('1 bundle is in none of the open files').click();
  await accessible(page, 'a missing bundle');
  await rendered(page).getByRole('button', { name: 'registry.example.com/light/lamp-bundle:v1.3.0' }).click();
  await expect(page.getByRole('tab', { name: 'Source' })).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByRole('tabpanel', { name: 'Source' })).toContainText('lamp-bundle:v1.3.0');
  await rendered(page).getByRole('button', { name: 'Show template' }).click();
  await expect(verdict(page)).toHaveText('Template without errors');
});

test('a template is rendered to its catalogs again, and to another version', async ({ page }) => {
  await openRepository(page, fixture('lighthouse'), 'lamp-operator', 'v4.19');
  await template(page, 'basic.yaml').getByRole('button').click();
  await choosePackage(page, 'lamp-operator');
  const targets = page.getByRole('dialog', { name: 'Render to catalogs' });
  const target = (name: string): Locator =>
    targets.getByRole('list', { name: 'Catalogs of the template' }).getByRole('listitem', { name: new RegExp(`^${name.replace('.', '\\.')},`) });
  const open = async (): Promise<void> => {
    await page.getByRole('note', { name: 'Template', exact: true }).getByRole('button', { name: 'Render to catalogs…' }).click();
    await expect(targets).toBeVisible();
  };

  await test.step('all are up to date, and there is nothing to do', async () => {
    await open();
    await expect(targets.getByText('2 catalogs: all up to date.', { exact: true })).toBeVisible();
    await expect(targets.getByRole('button', { name: 'Render all' })).toBeDisabled();
    await accessible(page, 'catalogs of a template');
    await targets.getByRole('button', { name: 'Close' }).last().click();
    await expect(targets).toBeHidden();
  });

  await test.step('an edit of the template makes them stale', async () => {
    await entry(page, HEAD, 'candidate').click();
    const form = await command(page, 'Promote bundle…');
    await field(form, 'To channel', 'stable');
    await expect(preview(form)).toContainText('catalog-templates/basic.yaml');
    await expect(form.getByRole('group', { name: 'Also in' }).getByRole('button', { name: 'Choose catalogs' })).toBeEnabled();
    await onlyHere(form);
    await apply(form);
    await open();
    await expect(targets.getByText('0 of 2 catalogs up to date.', { exact: true })).toBeVisible();
    await expect(target('v4.18')).toContainText('Changes channel stable.');
    await expect(target('v4.19')).toContainText('Changes channel stable.');
  });

  await test.step('Render all previews and writes both', async () => {
    await targets.getByRole('button', { name: 'Render all' }).click();
    const confirmation = page.getByRole('dialog', { name: 'Render basic.yaml to v4.18, v4.19' });
    await expect(confirmation).toContainText('replaces: lamp-operator.v1.1.0');
    await confirmation.getByRole('button', { name: 'Apply' }).click();
    await expect(confirmation).toBeHidden();
    await expect(catalog(page, 'v4.18')).toHaveAccessibleName(/Passes opm validate.*edited/);
    await expect(catalog(page, 'v4.19')).toHaveAccessibleName(/edited/);
    await open();
    await expect(targets.getByText('2 catalogs: all up to date.', { exact: true })).toBeVisible();
  });

  await test.step('another version is added to the mapping and rendered', async () => {
    await expect(targets.getByLabel('Version', { exact: true })).toHaveValue('v4.20');
    await targets.getByRole('button', { name: 'Add a version…' }).click();
    const confirmation = page.getByRole('dialog', { name: 'Add v4.20 to basic.yaml' });
    await expect(confirmation).toContainText('ci.yaml');
    await confirmation.getByRole('button', { name: 'Apply' }).click();
    await expect(confirmation).toBeHidden();
    await expect(catalog(page, 'v4.20')).toBeVisible();
  });
});
