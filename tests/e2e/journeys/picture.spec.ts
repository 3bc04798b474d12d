// The picture of what is worked on: unsaved changes drawn until they are saved, lanes that stay in view.
import type { Locator, Page } from '@playwright/test';
import { accessible, apply, choosePackage, command, entry, expect, field, fixture, graph, openFolder, test } from '../harness';

const bundle = (version: string): string => `anchor-operator.v${version}`;
const lane = (page: Page, channel: string): Locator =>
  graph(page).getByRole('button', { name: new RegExp(`^Channel ${channel}(,|$)`) });
const menu = (page: Page): Locator => page.getByRole('menu');

async function openAnchor(page: Page): Promise<void> {
  test.slow();
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  await expect(entry(page, bundle('1.3.0'), 'candidate')).toBeVisible();
}

async function remove(page: Page, version: string, channel: string): Promise<void> {
  const form = await command(page, 'Remove entry…');
  await field(form, 'Channel', channel);
  await field(form, 'Entry', bundle(version));
  await apply(form);
}

test('what is removed stays in the picture until it is saved or undone', async ({ page, violations }) => {
  await openAnchor(page);
  const gone = entry(page, bundle('1.3.0'), 'candidate');

  await test.step('an entry: its node is drawn as removed, heads are those of what is there', async () => {
    await remove(page, '1.3.0', 'candidate');
    await expect(gone).toHaveAccessibleName(`${bundle('1.3.0')} in candidate, not in this channel, removed`);
    await expect(entry(page, bundle('1.2.0'), 'candidate')).toHaveAccessibleName(/, head/);
    await expect(lane(page, 'candidate')).toHaveAccessibleName(/1 entry.*removed: anchor-operator\.v1\.3\.0/);
    await accessible(page, 'a removed entry');
  });

  await test.step('it is no thing to work on', async () => {
    await gone.click();
    await expect(page.getByRole('complementary', { name: 'Inspector' }).getByRole('heading', { level: 2 })).not.toHaveText(bundle('1.3.0'));
    await gone.click({ modifiers: ['ControlOrMeta'] });
    await expect(page.getByRole('status', { name: 'Selected' })).toHaveText('');
  });

  await test.step('its menu says what it was and what brings it back, by key', async () => {
    await gone.focus();
    await expect(gone).toHaveAccessibleDescription(/replaced anchor-operator\.v1\.2\.0.*Undo brings it back/);
    await page.keyboard.press('Enter');
    const of = page.getByRole('menu', { name: /^anchor-operator\.v1\.3\.0 in candidate, removed: replaced anchor-operator\.v1\.2\.0/ });
    await expect(of.getByRole('menuitem').first()).toBeFocused();
    await expect(of.getByRole('menuitem', { name: /^Undo: Remove / })).toBeVisible();
    await accessible(page, 'the menu of a removed entry');
    await page.keyboard.press('Escape');
    await expect(menu(page)).toHaveCount(0);
    await expect(gone).toBeFocused();
  });

  await test.step('another edit leaves it where it is', async () => {
    const form = await command(page, 'Set skip range…');
    await field(form, 'Channel', 'stable');
    await field(form, 'Entry', bundle('1.2.0'));
    await field(form, 'Skip range', '>=0.9.0 <1.2.0');
    await apply(form);
    await expect(entry(page, bundle('1.2.0'), 'stable')).toHaveAccessibleName(/changed/);
    await expect(gone).toBeVisible();
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await expect(entry(page, bundle('1.2.0'), 'stable')).not.toHaveAccessibleName(/changed/);
  });

  await test.step('the menu undoes', async () => {
    await gone.click({ button: 'right' });
    await menu(page).getByRole('menuitem', { name: /^Undo: Remove / }).click();
    await expect(gone).toHaveAccessibleName(/, head/);
  });
  expect(violations).toEqual([]);
});

test('a removed channel keeps its lane, and what moved says so', async ({ page }) => {
  await openAnchor(page);

  await test.step('removed', async () => {
    const form = await command(page, 'Remove channel…');
    await field(form, 'Channel', 'candidate');
    await apply(form);
    await expect(lane(page, 'candidate')).toHaveAccessibleName('Channel candidate, removed');
    await expect(entry(page, bundle('1.2.0'), 'candidate')).toHaveAccessibleName(/, removed$/);
    await expect(entry(page, bundle('1.2.0'), 'stable')).toHaveAccessibleName(/, head/);
    await accessible(page, 'a removed channel');
    await lane(page, 'candidate').focus();
    await page.keyboard.press('Shift+F10');
    await page.getByRole('menu', { name: 'Channel candidate, removed with 2 entries' })
      .getByRole('menuitem', { name: /^Undo: Remove channel candidate/ }).press('Enter');
    await expect(lane(page, 'candidate')).toHaveAccessibleName(/2 entries/);
  });

  await test.step('moved: what left all its channels; what stays in one is added', async () => {
    const form = await command(page, 'Rename channel…');
    await field(form, 'Channel', 'candidate');
    await field(form, 'New name', 'beta');
    await apply(form);
    await expect(entry(page, bundle('1.3.0'), 'beta')).toHaveAccessibleName(/, moved$/);
    await expect(entry(page, bundle('1.2.0'), 'beta')).toHaveAccessibleName(/, added$/);
    await expect(lane(page, 'candidate')).toHaveAccessibleName('Channel candidate, removed');
    await accessible(page, 'a moved entry');
  });
});

test.describe('with a folder that can be written', () => {
  test.use({ guards: { write: 1, read: 1 } });

  test('the marks go when it is saved', async ({ page }) => {
    await openAnchor(page);
    await remove(page, '1.3.0', 'candidate');
    const gone = entry(page, bundle('1.3.0'), 'candidate');
    await expect(gone).toHaveAccessibleName(/removed/);
    await page.keyboard.press('ControlOrMeta+s');
    // Its bundle is in no channel any more: the catalog fails, and is read before it is saved.
    await expect(page.getByRole('dialog', { name: 'Review changes' })).toContainText('Nothing is saved yet');
    await page.keyboard.press('ControlOrMeta+s');
    await expect(page.getByText(/^Saved /)).toBeVisible();
    await expect(gone).toHaveCount(0);
    await expect(entry(page, bundle('1.2.0'), 'candidate')).not.toHaveAccessibleName(/unsaved|changed/);
    // What is undone now is a change of what is on disk.
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await expect(gone).toHaveAccessibleName(/, head.*, added$/);
  });
});
