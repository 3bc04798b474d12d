// Bulk edits: several entries, a y-stream, all versions of a range; and one form for all deprecations.
import { catalogOf, inAChain } from '../catalogs';
import { PASSES, accessible, apply, choosePackage, command, entry, expect, field, graph, openFolder, test, useLetterKeys, verdict } from '../harness';

const bundle = (version: string) => `reel-operator.v${version}`;
const VERSIONS = ['1.28.0', '1.28.1', '1.29.0', '1.29.1', '1.29.2', '1.29.3'];

/// A package with two y-streams: one chain in one channel, part of it in another.
function reel(): string {
  return catalogOf('wharf', 'reel-operator', 'quay.io/wharf/reel-bundle', {
    stable: inAChain(VERSIONS),
    fast: inAChain(['1.29.1', '1.29.2']),
  });
}

test('one step changes several entries selected in the graph', async ({ page, violations }) => {
  await useLetterKeys(page);
  await openFolder(page, reel());
  await choosePackage(page, 'reel-operator');
  const selection = page.getByRole('status', { name: 'Selected' });

  await test.step('by click, Ctrl and Shift', async () => {
    await entry(page, bundle('1.29.0'), 'stable').click();
    await entry(page, bundle('1.29.2'), 'stable').click({ modifiers: ['ControlOrMeta'] });
    await expect(selection).toHaveText('2 entries selected: 2 bundles in 1 channel');
    await entry(page, bundle('1.28.0'), 'stable').click({ modifiers: ['Shift'] });
    await expect(selection).toHaveText('5 entries selected: 5 bundles in 1 channel');
    await expect(entry(page, bundle('1.28.1'), 'stable')).toHaveAccessibleName(/selected with others/);
    await accessible(page, 'several entries');
    await entry(page, bundle('1.29.0'), 'stable').click();
    await expect(selection).toHaveText('');
  });

  await test.step('by keyboard, and the form applies to all of them', async () => {
    await entry(page, bundle('1.28.0'), 'stable').focus();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Space');
    await expect(selection).toHaveText('1 entry selected: 1 bundle in 1 channel');
    await page.keyboard.press('Shift+ArrowRight');
    await expect(selection).toHaveText('2 entries selected: 2 bundles in 1 channel');
    await page.keyboard.press('x');
    const form = page.getByRole('dialog', { name: /^Deprecate/ });
    await expect(form.getByRole('group', { name: 'For' })).toContainText('For 2 selected things');
    await expect(form.getByLabel('Reference', { exact: true })).toHaveCount(0);
    await field(form, 'Message', 'This version has a known defect. Update to 1.29.3.');
    await expect(form.getByRole('region', { name: 'Preview' })).toContainText(`name: ${bundle('1.28.0')}`);
    await accessible(page, 'a form for several');
    await apply(form);
    await expect(entry(page, bundle('1.28.0'), 'stable')).toHaveAccessibleName(/deprecated/);
    await expect(entry(page, bundle('1.28.1'), 'stable')).toHaveAccessibleName(/deprecated/);
    await expect(selection).toHaveText('');
    await page.keyboard.press('ControlOrMeta+z');
    await expect(entry(page, bundle('1.28.1'), 'stable')).not.toHaveAccessibleName(/deprecated/);
  });

  await test.step('the menu of one entry applies to all selected', async () => {
    await entry(page, bundle('1.28.0'), 'stable').click();
    await entry(page, bundle('1.28.1'), 'stable').click({ modifiers: ['ControlOrMeta'] });
    await entry(page, bundle('1.28.1'), 'stable').click({ button: 'right' });
    await page.getByRole('menu', { name: '2 selected entries' }).getByRole('menuitem', { name: /^Promote bundle/ }).click();
    const form = page.getByRole('dialog', { name: /^Promote bundle/ });
    await field(form, 'To channel', 'fast');
    await apply(form);
    await expect(entry(page, bundle('1.28.0'), 'fast')).toBeVisible();
    await expect(entry(page, bundle('1.28.1'), 'fast')).toBeVisible();
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await expect(entry(page, bundle('1.28.0'), 'fast')).toHaveCount(0);
  });

  await test.step('emptying a channel is reported', async () => {
    await entry(page, bundle('1.29.1'), 'fast').click();
    await entry(page, bundle('1.29.2'), 'fast').click({ modifiers: ['Shift'] });
    const bar = page.getByRole('toolbar', { name: 'Actions on the selection' });
    await bar.getByRole('button', { name: 'Remove entry…' }).click();
    const form = page.getByRole('dialog', { name: /^Remove entry/ });
    await expect(form.getByRole('region', { name: 'Consequences' })).toContainText('channel fast has no entries left');
    await form.getByRole('button', { name: 'Cancel' }).click();
  });
  expect(violations).toEqual([]);
});

test('several rows are selected in the table', async ({ page }) => {
  await openFolder(page, reel());
  await choosePackage(page, 'reel-operator');
  await page.keyboard.press('2');
  const selection = page.getByRole('status', { name: 'Selected' });
  const box = (version: string, channel: string) => page.getByRole('checkbox', { name: `Select ${bundle(version)} in ${channel}` });

  await box('1.28.0', 'stable').check();
  await box('1.29.1', 'fast').check();
  await expect(selection).toHaveText('2 entries selected: 2 bundles in 2 channels');
  await accessible(page, 'rows');
  await page.getByRole('button', { name: 'Clear selection' }).click();
  await expect(box('1.28.0', 'stable')).not.toBeChecked();

  const row = (version: string) => page.getByRole('button', { name: bundle(version), exact: true }).first();
  await row('1.29.3').focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await expect(selection).toHaveText('3 entries selected: 3 bundles in 1 channel');

  const form = await command(page, 'Add property…');
  await field(form, 'Type', 'olm.maxOpenShiftVersion');
  await field(form, 'Value', '"4.19"');
  await apply(form);
  await expect(page.getByRole('list', { name: 'History' })).toContainText('Add olm.maxOpenShiftVersion to');
  await page.keyboard.press('ControlOrMeta+z');
  await expect(verdict(page)).toHaveText(PASSES);
});

test('the menu of a y-stream lets its latest entry replace all of it', async ({ page }) => {
  await openFolder(page, reel());
  await choosePackage(page, 'reel-operator');
  const stream = graph(page).getByRole('button', { name: /^Fold 1\.29,/ });

  await test.step('by mouse', async () => {
    await stream.click({ button: 'right' });
    await page.getByRole('menu', { name: 'y-stream 1.29' }).getByRole('menuitem', { name: 'Skip to the latest of 1.29.z' }).click();
    const form = page.getByRole('dialog', { name: /^Skip a z-stream/ });
    await expect(form.getByLabel('Z-stream', { exact: true })).toHaveValue('1.29.z');
    await expect(form.getByRole('region', { name: 'Preview' })).toContainText(bundle('1.29.0'));
    await apply(form);
    for (const version of ['1.29.0', '1.29.1', '1.29.2'])
      await expect(entry(page, bundle(version), 'stable')).toHaveAccessibleName(/skipped/);
    await expect(entry(page, bundle('1.29.1'), 'fast')).toHaveAccessibleName(/skipped/);
    await expect(verdict(page)).toHaveText(PASSES);
    await page.keyboard.press('ControlOrMeta+z');
    await expect(entry(page, bundle('1.29.1'), 'fast')).not.toHaveAccessibleName(/skipped/);
  });

  await test.step('by keyboard: up from the first lane, then the menu', async () => {
    await entry(page, bundle('1.29.3'), 'stable').focus();
    await page.keyboard.press('ArrowUp');
    await expect(stream).toBeFocused();
    await page.keyboard.press('Shift+F10');
    const menu = page.getByRole('menu', { name: 'y-stream 1.29' });
    await expect(menu.getByRole('menuitem').first()).toBeFocused();
    await page.getByRole('menuitem', { name: 'Select all entries of 1.29.z' }).click();
    await expect(page.getByRole('status', { name: 'Selected' })).toHaveText('6 entries selected: 4 bundles in 2 channels');
  });
});

test('a skip range lists its matches while typing', async ({ page }) => {
  await openFolder(page, reel());
  await choosePackage(page, 'reel-operator');
  const form = await command(page, 'Set skip range…');
  await field(form, 'Channel', 'fast');
  await field(form, 'Entry', bundle('1.29.2'));
  await field(form, 'Skip range', '>=1.28.0 <1.29.2');
  const versions = form.getByRole('list', { name: 'Versions in the range' });
  await expect(form).toContainText('Matches 4 of 5 versions, 3 not in this channel.');
  await expect(versions.getByRole('listitem')).toHaveText(['1.29.1', '1.29.0', '1.28.1', '1.28.0']);
  await field(form, 'Skip range', '<1.0.0');
  await expect(form).toContainText('Matches none of 5 versions.');
  await field(form, 'Skip range', '>=1.28.0 <1.x9');
  await expect(form.locator('mark')).toHaveText('<1.x9');
  await accessible(page, 'a range that cannot be read');
});

test('one form deprecates a package, a channel or a bundle, and shows what users see', async ({ page }) => {
  await openFolder(page, reel());
  await choosePackage(page, 'reel-operator');
  const form = await command(page, 'Deprecate…');
  const users = form.getByRole('region', { name: 'What users would see' });
  const message = form.getByLabel('Message', { exact: true });

  const referenceRadio = (name: string) => form.getByRole('radiogroup', { name: 'Reference' }).getByRole('radio', { name });
  await expect(referenceRadio('Package')).toBeChecked();
  await expect(message, 'the reference comes from the selection').toBeFocused();
  await expect(form.getByLabel('Channel', { exact: true })).toHaveCount(0);
  await expect(form.getByRole('button', { name: 'Apply' })).toBeDisabled();
  await expect(form).toContainText('To apply, fill in Message first.');
  await referenceRadio('Channel').click();
  await expect(form.getByLabel('Bundle', { exact: true })).toHaveCount(0);
  await field(form, 'Channel', 'fast');
  await field(form, 'Message', 'Channel fast is no longer supported.');
  await expect(users).toContainText('olm.channel/fast: Channel fast is no longer supported.');
  await expect(users).toContainText('ChannelDeprecated');
  await referenceRadio('Versions').click();
  await field(form, 'Bundle', bundle('1.28.0'));
  await expect(users).toContainText('BundleDeprecated');
  await field(form, 'Message', 'Move on.');
  await referenceRadio('Package').click();
  await expect(message, 'the typed text stays').toHaveValue('Move on.');
  await expect(users).toContainText('olm.package/reel-operator: Move on.');
  await accessible(page, 'a deprecation');
  await apply(form);
  await expect(page.getByRole('list', { name: 'History' })).toContainText('Deprecate package reel-operator');
});

test('a bundle with a release, and a constraint, are added', async ({ page }) => {
  await openFolder(page, reel());
  await choosePackage(page, 'reel-operator');
  const form = await command(page, 'Add bundle…');
  await field(form, 'Bundle', bundle('1.29.3-1'));
  await field(form, 'Version', '1.29.3');
  await field(form, 'Release', '1');
  await field(form, 'Image', 'quay.io/wharf/reel-bundle:v1.29.3-1');
  await field(form, 'To channel', 'stable');
  await expect(form.getByRole('region', { name: 'Preview' })).toContainText('name it reel-operator-v1.29.3-1');
  await field(form, 'Bundle', 'reel-operator-v1.29.3-1');
  await expect(form.getByRole('region', { name: 'Preview' })).toContainText('release:');
  await apply(form);
  await expect(entry(page, 'reel-operator-v1.29.3-1', 'stable')).toHaveAccessibleName(/head/);
  await expect(verdict(page)).toHaveText(PASSES);

  const property = await command(page, 'Add property…');
  await field(property, 'Bundle', bundle('1.29.3'));
  await field(property, 'Type', 'olm.constraint');
  await expect(property.getByLabel('Value', { exact: true })).toHaveValue(/"all": \{"constraints"/);
});
