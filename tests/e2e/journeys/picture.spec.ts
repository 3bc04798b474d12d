// Unsaved changes in the graph: drawn until they are saved, in lanes that stay in view.
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

test('removed things stay in the graph until they are saved or undone', async ({ page, violations }) => {
  await openAnchor(page);
  const removedEntry = entry(page, bundle('1.3.0'), 'candidate');

  await test.step('a removed entry is marked, and heads follow the remaining entries', async () => {
    await remove(page, '1.3.0', 'candidate');
    await expect(removedEntry).toHaveAccessibleName(`${bundle('1.3.0')} in candidate, not in this channel, removed`);
    await expect(entry(page, bundle('1.2.0'), 'candidate')).toHaveAccessibleName(/, head/);
    await expect(lane(page, 'candidate')).toHaveAccessibleName(/1 entry.*removed: anchor-operator\.v1\.3\.0/);
    await accessible(page, 'a removed entry');
  });

  await test.step('it cannot be selected', async () => {
    await removedEntry.click();
    await expect(page.getByRole('complementary', { name: 'Inspector' }).getByRole('heading', { level: 2 })).not.toHaveText(bundle('1.3.0'));
    await removedEntry.click({ modifiers: ['ControlOrMeta'] });
    await expect(page.getByRole('status', { name: 'Selected' })).toHaveText('');
  });

  await test.step('its menu offers the undo, by keyboard', async () => {
    await removedEntry.focus();
    await expect(removedEntry).toHaveAccessibleDescription(/replaced anchor-operator\.v1\.2\.0.*Undo brings it back/);
    await page.keyboard.press('Enter');
    const removedMenu = page.getByRole('menu', { name: 'anchor-operator.v1.3.0 in candidate, removed', exact: true });
    await expect(removedMenu.getByRole('menuitem').first()).toBeFocused();
    await expect(removedMenu.getByRole('menuitem', { name: /^Undo/ })).toBeVisible();
    await accessible(page, 'the menu of a removed entry');
    await page.keyboard.press('Escape');
    await expect(menu(page)).toHaveCount(0);
    await expect(removedEntry).toBeFocused();
  });

  await test.step('another edit keeps it', async () => {
    const form = await command(page, 'Set skip range…');
    await field(form, 'Channel', 'stable');
    await field(form, 'Entry', bundle('1.2.0'));
    await field(form, 'Skip range', '>=0.9.0 <1.2.0');
    await apply(form);
    await expect(entry(page, bundle('1.2.0'), 'stable')).toHaveAccessibleName(/changed/);
    await expect(removedEntry).toBeVisible();
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await expect(entry(page, bundle('1.2.0'), 'stable')).not.toHaveAccessibleName(/changed/);
  });

  await test.step('its menu undoes the removal', async () => {
    await removedEntry.click({ button: 'right' });
    await menu(page).getByRole('menuitem', { name: /^Undo/ }).click();
    await expect(removedEntry).toHaveAccessibleName(/, head/);
  });
  expect(violations).toEqual([]);
});

test('a removed channel keeps its lane, and moved entries are marked', async ({ page }) => {
  await openAnchor(page);

  await test.step('remove the channel', async () => {
    const form = await command(page, 'Remove channel…');
    await field(form, 'Channel', 'candidate');
    await apply(form);
    await expect(lane(page, 'candidate')).toHaveAccessibleName('Channel candidate, removed');
    await expect(entry(page, bundle('1.2.0'), 'candidate')).toHaveAccessibleName(/, removed$/);
    await expect(entry(page, bundle('1.2.0'), 'stable')).toHaveAccessibleName(/, head/);
    await accessible(page, 'a removed channel');
    await lane(page, 'candidate').focus();
    await page.keyboard.press('Shift+F10');
    await page.getByRole('menu', { name: 'Channel candidate, removed', exact: true })
      .getByRole('menuitem', { name: /^Undo/ }).press('Enter');
    await expect(lane(page, 'candidate')).toHaveAccessibleName(/2 entries/);
  });

  await test.step('rename it: an entry of no other channel is moved, others are added', async () => {
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

test.describe('with a writable folder', () => {
  test.use({ guards: { write: 1, read: 1 } });

  test('the marks disappear after saving', async ({ page }) => {
    await openAnchor(page);
    await remove(page, '1.3.0', 'candidate');
    const removedEntry = entry(page, bundle('1.3.0'), 'candidate');
    await expect(removedEntry).toHaveAccessibleName(/removed/);
    await page.keyboard.press('ControlOrMeta+s');
    // Its bundle is in no channel, so the catalog fails and the save needs a second confirmation.
    await expect(page.getByRole('dialog', { name: 'Review changes' })).toContainText('Nothing is saved yet');
    await page.keyboard.press('ControlOrMeta+s');
    await expect(page.getByText(/^Saved /)).toBeVisible();
    await expect(removedEntry).toHaveCount(0);
    await expect(entry(page, bundle('1.2.0'), 'candidate')).not.toHaveAccessibleName(/unsaved|changed/);
    // After the save, an undo is a new change.
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await expect(removedEntry).toHaveAccessibleName(/, head.*, added$/);
  });
});
