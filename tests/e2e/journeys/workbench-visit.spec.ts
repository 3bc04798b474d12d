// Messages, and the list of keys.
import { PASSES, accessible, drop, expect, fixture, graph, openFolder, start, test, verdict } from '../harness';


test('a message can be dismissed', async ({ page }) => {
  test.slow();
  await openFolder(page, fixture('harbor'));
  // With the least advice the list is empty, and F8 reports that.
  await page.getByRole('button', { name: 'Make problems larger' }).click();
  await page.getByRole('region', { name: 'Problems' }).getByLabel('Advice').selectOption('opm');
  await expect(page.getByRole('region', { name: 'Problems' }).getByRole('listitem')).toHaveCount(0);
  const button = page.getByRole('button', { name: 'Catalog', exact: true });
  await button.focus();
  await page.keyboard.press('F8');
  const log = page.getByRole('log', { name: 'Messages' });
  await expect(log).toContainText('No problems in the list.');
  await log.getByRole('button', { name: 'Dismiss' }).focus();
  await page.keyboard.press('Enter');
  await expect(log).not.toContainText('No problems in the list');
  await expect(button, 'the focus returns').toBeFocused();
});

test('an error stays until it is closed', async ({ page }) => {
  // Make the sample unavailable.
  await page.route('**/sample/**', route => route.fulfill({ status: 404 }));
  await start(page);
  await page.getByRole('button', { name: 'Try a sample' }).click();
  const log = page.getByRole('log', { name: 'Messages' });
  await expect(log).toContainText('The sample cannot be read');
  await drop(page, [fixture('harbor')]);
  await expect(verdict(page)).toHaveText(PASSES);
  await expect(log).toContainText('The sample cannot be read');
});

test('the help lists the keys that work, and controls declare theirs', async ({ page }) => {
  test.slow();
  await openFolder(page, fixture('harbor'));
  await expect(graph(page)).toBeVisible();
  await page.keyboard.press('?');
  const sheet = page.getByRole('dialog', { name: 'Keys' });
  for (const part of ['Everywhere', 'Edits', 'The workbench', 'In the graph', 'While dragging in the graph', 'In lists and the table', 'In the source', 'On a line between panels'])
    await expect(sheet.getByRole('heading', { name: part, exact: true })).toBeVisible();
  const promote = sheet.getByRole('definition').filter({ hasText: /^Promote bundle…$/ });
  await expect(promote, 'a letter that is off').toHaveCount(0);
  await sheet.getByRole('switch', { name: 'Single letters open edits' }).check();
  await expect(promote).toBeVisible();
  await expect(sheet.getByRole('definition').filter({ hasText: /^Next panel$/ })).toBeVisible();
  await accessible(page, 'the sheet of keys');
  await page.keyboard.press('Escape');
  await expect(sheet).toBeHidden();
  await expect(page.getByRole('button', { name: 'Undo' }).first()).toHaveAttribute('aria-keyshortcuts', 'Control+Z');
  await expect(page.getByRole('button', { name: 'Undo' }).first()).toHaveAttribute('title', 'Undo (Ctrl+Z)');
  await expect(page.getByRole('tab', { name: 'Table' })).toHaveAttribute('aria-keyshortcuts', '2');
});
