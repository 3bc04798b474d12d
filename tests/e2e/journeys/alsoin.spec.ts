// *Also in*: one operation in several catalogs, previewed for each, done and undone in one step.
import type { Locator } from '@playwright/test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { catalogOf, inAChain } from '../catalogs';
import { PASSES, accessible, apply, choosePackage, command, drop, entry, expect, field, fixture, openFolder, test, verdict, alsoIn } from '../harness';

const FIRST = 'anchor-operator.v1.0.0';
const SECOND = 'anchor-operator.v1.1.0';
const HEAD = 'anchor-operator.v1.2.0';

/// Four catalogs: two equal, one whose head replaces another entry, one without the package.
function catalogs(): string {
  const parent = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-also-in-')), 'catalogs');
  for (const version of ['v4.17', 'v4.18', 'v4.19', 'v4.20']) fs.cpSync(fixture('harbor'), path.join(parent, version), { recursive: true });
  const other = path.join(parent, 'v4.19/anchor-operator/catalog.yaml');
  fs.writeFileSync(other, fs.readFileSync(other, 'utf8').replace(`replaces: "${SECOND}"`, `replaces: "${FIRST}"`));
  fs.rmSync(path.join(parent, 'v4.20/anchor-operator'), { recursive: true });
  return parent;
}

test('an edit is applied to the other catalogs that the user selects', async ({ page, violations }) => {
  await openFolder(page, catalogs());
  await page.getByRole('list', { name: 'Catalogs' }).getByRole('listitem', { name: /^v4\.17/ }).click();
  await choosePackage(page, 'anchor-operator');

  const form = await command(page, 'Set replaces…');
  await field(form, 'Channel', 'stable');
  await field(form, 'Entry', HEAD);
  await field(form, 'Replaces', FIRST);
  const closed = form.getByRole('group', { name: 'Also in' });
  await expect(closed, 'the number is visible in the closed list')
    .toContainText('2 other catalogs have the package. Only this catalog changes.');
  await expect(form.getByRole('button', { name: 'Apply', exact: true })).toBeVisible();
  const alsoInGroup = await alsoIn(form);

  await test.step('the effect on each catalog is shown: the same, different with the reason, or no such package', async () => {
    await expect(alsoInGroup.getByRole('checkbox', { name: 'v4.18' })).not.toBeChecked();
    await alsoInGroup.getByRole('checkbox', { name: 'v4.18' }).check();
    await expect(alsoInGroup.getByRole('checkbox', { name: 'v4.18' })).toHaveAccessibleDescription(/the same effect.*fails opm validate now, 1 new problem/s);
    await expect(alsoInGroup.getByRole('checkbox', { name: 'v4.19' })).not.toBeChecked();
    await expect(alsoInGroup.getByRole('checkbox', { name: 'v4.19' })).toHaveAccessibleDescription(/differs: it already has this change/);
    await expect(alsoInGroup).toContainText('2 other catalogs have the package. 1 selected: v4.18.');
    await expect(alsoInGroup).toContainText('v4.20has no such package');
    await expect(alsoInGroup.getByRole('checkbox')).toHaveCount(2);
    await expect(form.getByRole('button', { name: 'Apply to 2 catalogs' })).toBeVisible();
    await accessible(page, 'a form with other catalogs');
  });

  await test.step('each catalog has its own diff, which can be opened', async () => {
    const preview = form.getByRole('region', { name: 'Preview' });
    const heading = preview.locator('summary').filter({ hasText: /^v4\.18/ });
    await heading.press('Enter');
    const diffOfV418 = preview.locator('details').filter({ has: page.locator('summary').filter({ hasText: /^v4\.18/ }) });
    await expect(diffOfV418).toContainText('v4.18/anchor-operator/catalog.yaml');
    await expect(diffOfV418).toContainText(`replaces: "${FIRST}"`);
  });

  await test.step('one button selects none or all, and the preview shows only those', async () => {
    const catalogSummaries = form.getByRole('region', { name: 'Preview' }).locator('summary').filter({ hasText: /^v4\.1/ });
    await alsoInGroup.getByRole('button', { name: 'Select none' }).click();
    await expect(alsoInGroup).toContainText('Only this catalog changes.');
    await expect(form.getByRole('button', { name: 'Apply', exact: true })).toBeVisible();
    await expect(catalogSummaries.filter({ visible: true })).toHaveCount(0);
    await alsoInGroup.getByRole('button', { name: 'Select all' }).click();
    await expect(form.getByRole('button', { name: 'Apply to 3 catalogs' })).toBeVisible();
    await expect(catalogSummaries.filter({ visible: true })).toHaveCount(2);
    await alsoInGroup.getByRole('checkbox', { name: 'v4.19' }).uncheck();
  });

  await test.step('a difference has its reason, and a refused catalog cannot be selected', async () => {
    await field(form, 'Replaces', 'none');
    await expect(alsoInGroup.getByRole('checkbox', { name: 'v4.19' })).toHaveAccessibleDescription(
      new RegExp(`differs: ${HEAD} in stable: replaces is ${FIRST} there, ${SECOND} here`));
    await alsoInGroup.getByRole('checkbox', { name: 'v4.19' }).focus();
    await page.keyboard.press('Space');
    await expect(alsoInGroup.getByRole('checkbox', { name: 'v4.19' })).toBeChecked();
    await expect(alsoInGroup).toContainText('2 selected');
    await page.keyboard.press('Space');
    await field(form, 'Replaces', FIRST);
    await expect(alsoInGroup.getByRole('checkbox', { name: 'v4.18' })).toHaveAccessibleDescription(/the same effect/);
  });

  await test.step('all catalogs change in one step and one undo', async () => {
    await apply(form);
    const history = page.getByRole('list', { name: 'History' });
    await expect(history).toContainText(`Set replaces of ${HEAD} in stable to ${FIRST}, in 2 catalogs`);
    const catalog = (name: string) => page.getByRole('list', { name: 'Catalogs' }).getByRole('listitem', { name: new RegExp(`^${name.replace('.', '\\.')}`) });
    await expect(catalog('v4.17')).toHaveAccessibleName(/edited/);
    await expect(catalog('v4.18')).toHaveAccessibleName(/edited/);
    await expect(catalog('v4.19')).not.toHaveAccessibleName(/edited/);
    await page.keyboard.press('ControlOrMeta+z');
    await expect(catalog('v4.17')).not.toHaveAccessibleName(/edited/);
    await expect(catalog('v4.18')).not.toHaveAccessibleName(/edited/);
    await expect(verdict(page)).toHaveText(PASSES);
  });
  expect(violations).toEqual([]);
});

test('the next edit begins with no other catalog selected', async ({ page }) => {
  await openFolder(page, catalogs());
  await page.getByRole('list', { name: 'Catalogs' }).getByRole('listitem', { name: /^v4\.17/ }).click();
  await choosePackage(page, 'anchor-operator');
  const ask = async (): Promise<Locator> => {
    const form = await command(page, 'Set description…');
    await field(form, 'Description', 'Drops and weighs anchors.');
    await expect(form.getByRole('region', { name: 'Preview' })).toBeVisible();
    return form;
  };
  const first = await ask();
  await (await alsoIn(first)).getByRole('checkbox', { name: 'v4.18' }).check();
  await apply(first);
  await page.keyboard.press('ControlOrMeta+z');

  const second = await ask();
  await expect(second.getByRole('group', { name: 'Also in' })).toContainText('Only this catalog changes.');
});

test('catalogs opened separately, and new packages, are not selected by default', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  const separateFolder = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-apart-')), 'apart');
  fs.cpSync(fixture('harbor'), separateFolder, { recursive: true });
  await drop(page, [separateFolder]);
  await page.getByRole('dialog', { name: /^Open / }).getByRole('button', { name: 'Add' }).click();
  await expect(page.getByRole('list', { name: 'Catalogs' }).getByRole('listitem', { name: /^apart/ })).toBeVisible();
  await choosePackage(page, 'anchor-operator');

  const form = await command(page, 'Set default channel…');
  await field(form, 'Channel', 'candidate');
  const alsoInGroup = await alsoIn(form);
  await expect(alsoInGroup.getByRole('checkbox', { name: /apart|harbor/ })).not.toBeChecked();
  await expect(alsoInGroup.getByRole('checkbox', { name: /apart|harbor/ })).toHaveAccessibleDescription(/the same effect/);
  await page.keyboard.press('Escape');
  await expect(form).toBeHidden();

  const packageForm = await command(page, 'New package…');
  const place = await packageForm.getByRole('combobox', { name: 'Default channel' }).boundingBox();
  await field(packageForm, 'Package', 'ferry-operator');
  await field(packageForm, 'Default channel', 'stable');
  await expect(packageForm.getByRole('group', { name: 'Also in' })).toContainText('1 other catalog can change too. Only this catalog changes.');
  expect((await packageForm.getByRole('combobox', { name: 'Default channel' }).boundingBox())?.y, 'no field moves').toBe(place?.y);
  await expect(packageForm.getByRole('button', { name: 'Apply', exact: true })).toBeVisible();
  await packageForm.getByRole('button', { name: 'Cancel' }).click();
  await expect(packageForm).toBeHidden();

  await test.step('there is no choice if no other catalog has the package', async () => {
    const onlyCatalog = catalogOf('alone', 'buoy', 'quay.io/example/buoy', { stable: inAChain(['1.0.0', '1.1.0']) });
    await drop(page, [onlyCatalog]);
    await page.getByRole('dialog', { name: /^Open / }).getByRole('button', { name: 'Add' }).click();
    await page.getByRole('list', { name: 'Catalogs' }).getByRole('listitem', { name: /^alone/ }).click();
    await choosePackage(page, 'buoy');
    const alone = await command(page, 'Set description…');
    await expect(alone.getByRole('group', { name: 'Also in' })).toHaveCount(0);
    await field(alone, 'Description', 'A buoy.');
    await expect(alone.getByRole('region', { name: 'Preview' })).toContainText('A buoy.');
    await expect(alone.getByRole('group', { name: 'Also in' })).toHaveCount(0);
    await page.keyboard.press('Escape');
  });
});

test('a catalog where the edit is impossible shows the reason, and the others can change', async ({ page }) => {
  const parent = catalogs();
  const other = path.join(parent, 'v4.18/anchor-operator/catalog.yaml');
  fs.writeFileSync(other, fs.readFileSync(other, 'utf8').replace('name: candidate\n', 'name: fast\n'));
  await openFolder(page, parent);
  await page.getByRole('list', { name: 'Catalogs' }).getByRole('listitem', { name: /^v4\.17/ }).click();
  await choosePackage(page, 'anchor-operator');

  const form = await command(page, 'Set default channel…');
  await field(form, 'Channel', 'candidate');
  const alsoInGroup = await alsoIn(form);
  await expect(alsoInGroup.getByRole('checkbox', { name: 'v4.18' })).toBeDisabled();
  await expect(alsoInGroup.getByRole('checkbox', { name: 'v4.18' })).toHaveAccessibleDescription(/cannot be done: package anchor-operator has no channel candidate/);
  await alsoInGroup.getByRole('checkbox', { name: 'v4.19' }).check();
  await apply(form);
  await expect(entry(page, 'anchor-operator.v1.3.0', 'candidate')).toHaveAccessibleName(/default channel/);
  await expect(page.getByRole('list', { name: 'History' })).toContainText('Set default channel of anchor-operator to candidate, in 2 catalogs');
});

test('an edit in three catalogs is reported once, and each failure offers its fix', async ({ page }) => {
  const parent = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-three-')), 'catalogs');
  for (const version of ['v4.18', 'v4.19', 'v4.20']) fs.cpSync(fixture('harbor'), path.join(parent, version), { recursive: true });
  await page.setViewportSize({ width: 1280, height: 720 });
  await openFolder(page, parent);
  await choosePackage(page, 'anchor-operator');
  const form = await command(page, 'Set replaces…');
  await field(form, 'Channel', 'stable');
  await field(form, 'Entry', HEAD);
  await field(form, 'Replaces', FIRST);
  await (await alsoIn(form)).getByRole('button', { name: 'Select all' }).click();
  await apply(form);
  await expect(page.getByRole('region', { name: 'Last edit' })).toContainText(/v4\.18.*and 1 more: each fails opm validate now/);
  await page.getByRole('button', { name: /Review and save/ }).click();
  const review = page.getByRole('dialog', { name: 'Review changes' });
  await expect(review.getByRole('region', { name: 'What this means for users' })).toContainText('in 3 catalogs');
  const fixButtons = review.getByRole('list', { name: 'Verdicts' }).getByRole('button', { name: /^Fix: / });
  await expect(fixButtons).toHaveCount(3);
  await expect(fixButtons.first()).toBeInViewport({ ratio: 1 });
  await accessible(page, 'a review of catalogs that fail');
  await fixButtons.first().click();
  await expect(page.getByRole('dialog').getByRole('region', { name: 'Preview' })).toBeVisible();
});
