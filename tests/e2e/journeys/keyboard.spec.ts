// Tasks with the keyboard only, and the table as an alternative to the graph.
import type { Locator, Page } from '@playwright/test';
import { PASSES, accessible, choosePackage, entry, expect, fixture, graph, openFolder, start, test, useLetterKeys, verdict } from '../harness';

/// Presses Tab until this element has the focus.
async function tabTo(page: Page, wanted: Locator, most = 60): Promise<void> {
  for (let press = 0; press < most; press++) {
    if (await wanted.evaluate(element => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  await expect(wanted, `Tab reaches it within ${most} presses`).toBeFocused();
}

test('the graph is navigated and an entry edited with the keyboard only', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  // The graph is a single Tab stop; arrow keys move inside it.
  const focused = graph(page).locator('[role=button]:focus');
  for (let press = 0; press < 60 && await focused.count() === 0; press++) await page.keyboard.press('Tab');
  await page.keyboard.press('Home');
  const targetEntry = entry(page, 'anchor-operator.v1.1.0', 'stable');
  for (let press = 0; press < 10 && !(await targetEntry.evaluate(element => element === document.activeElement)); press++) await page.keyboard.press('ArrowRight');
  await expect(targetEntry).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('complementary', { name: 'Inspector' })).toContainText('anchor-operator.v1.1.0');
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type('Set default channel');
  await page.keyboard.press('Enter');
  const form = page.getByRole('dialog', { name: /^Set default channel/ });
  await expect(form).toBeVisible();
  await tabTo(page, form.getByLabel('Channel', { exact: true }));
  await page.keyboard.type('candidate');
  await expect(form.getByRole('region', { name: 'Preview' })).toContainText('candidate');
  await tabTo(page, form.getByRole('button', { name: 'Apply' }));
  await page.keyboard.press('Enter');
  await expect(form).toBeHidden();
  await expect(targetEntry, 'the focus returns to the selection').toBeFocused();
  await expect(verdict(page)).toHaveText(PASSES);
  await expect(graph(page).getByRole('group', { name: /^Channel candidate, default channel/ })).toBeVisible();

  await test.step('a button that disappears when pressed returns the focus', async () => {
    for (const name of ['Undo', 'Dismiss']) {
      await targetEntry.focus();
      await page.getByRole('region', { name: 'Last edit' }).getByRole('button', { name }).focus();
      await page.keyboard.press('Enter');
      await expect(targetEntry).toBeFocused();
    }
  });
});

test('a letter edits the focused entry, not the previously selected one', async ({ page }) => {
  await useLetterKeys(page);
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  await entry(page, 'anchor-operator.v1.2.0', 'stable').click();
  await page.keyboard.press('ArrowLeft');
  const before = entry(page, 'anchor-operator.v1.1.0', 'stable');
  await expect(before).toBeFocused();
  await expect(before, 'arrow keys only move the focus').toHaveAttribute('aria-pressed', 'false');
  await page.keyboard.press('w');
  const form = page.getByRole('dialog', { name: /^Withdraw bundle/ });
  await expect(form).toContainText('anchor-operator.v1.1.0');
  await page.keyboard.press('Escape');
  await expect(form).toBeHidden();
  await expect(before).toHaveAttribute('aria-pressed', 'true');
});

test('single letters open nothing until they are switched on, and the setting is remembered', async ({ page, violations }) => {
  const dir = fixture('harbor');
  await openFolder(page, dir);
  await choosePackage(page, 'anchor-operator');
  const head = entry(page, 'anchor-operator.v1.2.0', 'stable');
  await head.focus();
  for (const key of ['q', 'p', 'Shift+Q']) await page.keyboard.press(key);
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.keyboard.press('Delete');
  await expect(page.getByRole('dialog', { name: /^Remove entry/ })).toBeVisible();
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Keys and help' }).click();
  const help = page.getByRole('dialog', { name: 'Keys and help' });
  await expect(help.getByRole('list', { name: 'How to begin' }).getByRole('listitem')).toHaveCount(4);
  await accessible(page, 'help');
  await help.getByRole('switch', { name: 'Single letters open edits' }).check();
  await page.keyboard.press('Escape');
  await openFolder(page, dir);
  await choosePackage(page, 'anchor-operator');
  await page.keyboard.press('q');
  await expect(page.getByRole('dialog', { name: /^New package/ })).toBeVisible();
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Keys and help' }).click();
  await help.getByRole('button', { name: 'Open the legend of the graph' }).click();
  await expect(help).toBeHidden();
  await expect(graph(page).getByRole('button', { name: 'Legend', exact: true })).toBeFocused();
  await expect(page.getByRole('dialog', { name: 'Legend of the graph' })).toBeVisible();
  expect(violations).toEqual([]);
});

test('workbench keys do nothing on the start page', async ({ page }) => {
  await useLetterKeys(page);
  const dir = fixture('harbor');
  await start(page);
  for (const key of ['l', 'i', 'j', 'p', 'F6']) await page.keyboard.press(key);
  await expect(page.getByRole('dialog')).toBeHidden();
  await openFolder(page, dir);
  await expect(page.getByRole('navigation', { name: 'Catalogs and packages' })).toBeVisible();
  await expect(page.getByRole('complementary', { name: 'Inspector' })).toBeVisible();
});

test('releasing a text selection outside a dialog does not close it', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  await page.keyboard.press('?');
  const keys = page.getByRole('dialog', { name: 'Keys and help' });
  const head = await keys.getByRole('heading', { name: 'Keys and help' }).boundingBox();
  if (!head) throw new Error('the heading is not visible');
  await page.mouse.move(head.x + 5, head.y + head.height / 2);
  await page.mouse.down();
  await page.mouse.move(8, 8, { steps: 5 });
  await page.mouse.up();
  await expect(keys).toBeVisible();
  // A click outside closes it.
  await page.mouse.click(8, 8);
  await expect(keys).toBeHidden();
});
