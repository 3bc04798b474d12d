// The same by keyboard alone, and what a screen reader gets.
import { PASSES, choosePackage, entry, expect, fixture, graph, openFolder, test, verdict } from '../harness';

test('the graph is walked and an entry edited by keyboard alone', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  await entry(page, 'anchor-operator.v1.2.0', 'stable').focus();
  await page.keyboard.press('ArrowLeft');
  await expect(entry(page, 'anchor-operator.v1.1.0', 'stable')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('complementary', { name: 'Inspector' })).toContainText('anchor-operator.v1.1.0');
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type('Set default channel');
  await page.keyboard.press('Enter');
  const form = page.getByRole('dialog', { name: /^Set default channel/ });
  await expect(form).toBeVisible();
  await form.getByLabel('Channel', { exact: true }).focus();
  await page.keyboard.type('candidate');
  await expect(form.getByRole('region', { name: 'Preview' })).toContainText('candidate');
  await form.getByRole('button', { name: 'Apply' }).focus();
  await page.keyboard.press('Enter');
  await expect(form).toBeHidden();
  await expect(verdict(page)).toHaveText(PASSES);
  await expect(graph(page).getByRole('group', { name: /^Channel candidate, default channel/ })).toBeVisible();
});

test('the table is the graph in rows', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  await page.getByRole('tab', { name: 'Table' }).click();
  const table = page.getByRole('table').or(page.getByRole('grid'));
  for (const name of ['Channel', 'Entry', 'Version', 'Replaces', 'Skips', 'Skip range', 'State'])
    await expect(table.getByRole('columnheader', { name, exact: true })).toBeVisible();
  await expect(table.getByRole('row').filter({ hasText: 'anchor-operator.v1.2.0' }).filter({ hasText: 'stable' })).toContainText('>=1.0.0 <1.2.0');
});

test('both lenses answer for the installed version', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  const lens = page.getByRole('group', { name: 'Lens' });
  await page.getByLabel('Installed').fill('anchor-operator.v1.0.0');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('complementary', { name: 'Inspector' })).toContainText(/1\.2\.0/);
  await lens.getByText('OLM v1').click();
  await expect(page.getByLabel('Version range')).toBeVisible();
});
