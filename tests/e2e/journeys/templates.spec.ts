// Templates: shown and edited as what catalogs are rendered from, and said before a rendered file is edited.
import { accessible, apply, choosePackage, command, entry, expect, field, fixture, graph, openFolder, packageItem, test, verdict } from '../harness';
import type { Locator, Page } from '@playwright/test';

const HEAD = 'lamp-operator.v1.2.0';
const NOTE = 'Rendered from a template';

const template = (page: Page, name: string): Locator =>
  page.getByRole('list', { name: 'Templates' }).getByRole('listitem', { name: new RegExp(`^${name.replaceAll('.', '\\.')},`) });
const catalog = (page: Page, name: string): Locator =>
  page.getByRole('list', { name: 'Catalogs' }).getByRole('listitem', { name: new RegExp(`^${name},`) });
const preview = (form: Locator): Locator => form.getByRole('region', { name: 'Preview' });

test('a template is shown and edited at its place', async ({ page }) => {
  await openFolder(page, fixture('lighthouse'));

  await test.step('catalogs keep their verdicts, templates claim none', async () => {
    await expect(catalog(page, 'v4.18')).toHaveAccessibleName(/Passes opm validate/);
    await expect(template(page, 'basic.yaml')).toHaveAccessibleName('basic.yaml, Template without errors, 1 package');
    await template(page, 'basic.yaml').getByRole('button').click();
    await expect(verdict(page)).toHaveText('Template without errors');
    await expect(page.getByText('Its bundles are 3 images until it is rendered')).toBeVisible();
    await expect(page.getByText('Rendered into v4.18, v4.19')).toBeVisible();
  });

  await test.step('its channels and entries are drawn', async () => {
    await choosePackage(page, 'lamp-operator');
    await expect(entry(page, HEAD, 'candidate')).toHaveAccessibleName(/head/);
    await expect(entry(page, 'lamp-operator.v1.1.0', 'stable')).toHaveAccessibleName(/default channel/);
    await accessible(page, 'template');
  });

  await test.step('a bundle is promoted in it', async () => {
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

  await test.step('what only the images know is refused', async () => {
    const form = await command(page, 'Set image…');
    await field(form, 'Bundle', HEAD);
    await field(form, 'Image', 'registry.example.com/light/lamp-bundle:v9');
    await expect(preview(form)).toContainText('after the template is rendered');
    await form.getByRole('button', { name: 'Cancel' }).click();
    await expect(form).toBeHidden();
  });

  await test.step('a broken chain is told with its line, and undone', async () => {
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

test('a rendered file says so before it is edited', async ({ page }) => {
  await openFolder(page, fixture('lighthouse'));
  await catalog(page, 'v4.19').getByRole('button').click();
  await choosePackage(page, 'lamp-operator');

  await test.step('the form goes to the template with the same values', async () => {
    await entry(page, HEAD, 'candidate').click();
    const form = await command(page, 'Promote bundle…');
    const note = form.getByRole('note', { name: NOTE });
    await expect(note).toContainText('This file is rendered from basic.yaml: the next render will lose this edit.');
    await field(form, 'To channel', 'stable');
    await expect(preview(form)).toContainText('Rendered from');
    await accessible(page, 'note in a form');
    await note.getByRole('button', { name: 'Edit the template instead' }).press('Enter');
    await expect(note).toHaveCount(0);
    await expect(form.getByLabel('Catalog', { exact: true })).toHaveValue('basic.yaml');
    await expect(form.getByLabel('To channel', { exact: true })).toHaveValue('stable');
    await expect(preview(form)).toContainText('catalog-templates/basic.yaml');
    for (const box of await form.getByRole('group', { name: 'Also in' }).getByRole('checkbox').all()) await box.uncheck();
    await apply(form);
    await expect(page.getByRole('list', { name: 'Templates' }).locator('[aria-current=true]')).toHaveCount(1);
    await expect(entry(page, HEAD, 'stable')).toHaveAccessibleName(/head/);
  });

  await test.step('or stays where it is, and the review says it again', async () => {
    await catalog(page, 'v4.18').getByRole('button').click();
    await expect(graph(page)).toBeVisible();
    const form = await command(page, 'Set default channel…');
    await field(form, 'Channel', 'candidate');
    await form.getByRole('button', { name: 'Edit here anyway' }).click();
    await expect(form.getByRole('note', { name: NOTE })).toHaveCount(0);
    for (const box of await form.getByRole('group', { name: 'Also in' }).getByRole('checkbox').all()) await box.uncheck();
    await apply(form);
    await page.getByRole('button', { name: /^Review and save/ }).click();
    const review = page.getByRole('dialog', { name: 'Review changes' });
    await expect(review.getByRole('group', { name: /v4\.18\/lamp-operator\/catalog\.yaml/ })).toContainText('the next render will lose this edit');
    await expect(review.getByRole('group', { name: /basic\.yaml/ })).not.toContainText('the next render');
    await accessible(page, 'review');
  });
});

test('the source of a rendered file leads to its template', async ({ page }) => {
  await openFolder(page, fixture('lighthouse'));
  await choosePackage(page, 'lamp-operator');
  await page.getByRole('tab', { name: 'Source' }).click();
  const note = page.getByRole('note', { name: NOTE });
  await expect(note).toContainText('the next render will lose what is edited here');
  await accessible(page, 'note above the source');
  await note.getByRole('button', { name: 'Show the template' }).click();
  await expect(verdict(page)).toHaveText('Template without errors');
  await expect(note).toHaveCount(0);
});

test('a semver template is shown for what it is', async ({ page }) => {
  await openFolder(page, fixture('lighthouse'));
  await expect(template(page, 'semver.yaml')).toHaveAccessibleName('semver.yaml, semver template');
  await template(page, 'semver.yaml').getByRole('button').press('Enter');
  await expect(page.getByRole('region', { name: 'Source of semver.yaml' })).toContainText('GenerateMajorChannels: true');
  await expect(page.getByText('It generates a channel for each major version of stable (2 images): edit it as text')).toBeVisible();
  await expect(page.getByText('Rendered into v4.19, as stable-v0')).toBeVisible();
  await accessible(page, 'semver template');

  await catalog(page, 'v4.19').getByRole('button').click();
  await packageItem(page, 'lens-operator').click();
  await expect(page.getByRole('heading', { name: 'lens-operator', level: 1 })).toBeVisible();
  const form = await command(page, 'Set description…');
  await form.getByRole('button', { name: 'Edit the template as text' }).click();
  await expect(form).toBeHidden();
  await expect(page.getByRole('region', { name: 'Source of semver.yaml' })).toBeVisible();
});
