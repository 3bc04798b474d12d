// Each widget follows the keyboard pattern of its ARIA practice and works with forced colors, 200 % zoom and the
// keyboard only. `table.spec.ts` tests the grid.
import type { Page } from '@playwright/test';
import { accessible, choosePackage, entry, expect, fixture, openFolder, test, useLetterKeys } from '../harness';

// Accessibility scans take long on a busy machine.
test.beforeEach(() => test.slow());

async function open(page: Page): Promise<void> {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
}

test('tabs: arrows wrap around, Home and End, one Tab stop', async ({ page }) => {
  await open(page);
  const tabs = page.getByRole('tablist', { name: 'Views' }).getByRole('tab');
  const names = await tabs.allTextContents();
  const expectSelected = async (index: number) => {
    await expect(tabs.nth(index)).toBeFocused();
    await expect(tabs.nth(index)).toHaveAttribute('aria-selected', 'true');
    await expect(page.getByRole('tabpanel', { name: names[index] ?? '' })).toBeVisible();
  };
  await tabs.first().focus();
  await page.keyboard.press('ArrowRight');
  await expectSelected(1);
  await page.keyboard.press('ArrowLeft');
  await expectSelected(0);
  await page.keyboard.press('ArrowLeft');
  await expectSelected(names.length - 1);
  await page.keyboard.press('ArrowRight');
  await expectSelected(0);
  await page.keyboard.press('End');
  await expectSelected(names.length - 1);
  await page.keyboard.press('Home');
  await expectSelected(0);
  await expect(page.getByRole('tablist', { name: 'Views' }).locator('[tabindex="0"]')).toHaveCount(1);
});

test('menu: arrows wrap around, letters, Enter chooses, Escape and Tab close and return the focus', async ({ page }) => {
  await open(page);
  const node = entry(page, 'anchor-operator.v1.2.0', 'stable');
  const menu = page.getByRole('menu', { name: 'anchor-operator.v1.2.0 in stable' });
  const items = menu.getByRole('menuitem');
  const ask = async () => {
    await node.focus();
    await page.keyboard.press('Shift+F10');
    await expect(items.first()).toBeFocused();
  };
  await ask();
  await page.keyboard.press('ArrowUp');
  await expect(items.last()).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(items.first()).toBeFocused();
  await page.keyboard.press('End');
  await expect(items.last()).toBeFocused();
  await page.keyboard.press('Home');
  await expect(items.first()).toBeFocused();
  await page.keyboard.press('d');
  await expect(menu.getByRole('menuitem', { name: /^D/ }).first()).toBeFocused();
  await accessible(page, 'a menu');
  await page.keyboard.press('Escape');
  await expect(menu).toBeHidden();
  await expect(node).toBeFocused();
  await ask();
  await page.keyboard.press('Tab');
  await expect(menu).toBeHidden();
  await expect(node).toBeFocused();
  await ask();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toBeVisible();
});

test('dialog: Tab stays inside, Escape closes, the focus returns', async ({ page }) => {
  await open(page);
  const node = entry(page, 'anchor-operator.v1.2.0', 'stable');
  await node.focus();
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keys' });
  await expect(dialog).toBeVisible();
  for (const key of ['Tab', 'Tab', 'Tab', 'Tab', 'Shift+Tab', 'Shift+Tab']) {
    await page.keyboard.press(key);
    // After the last element, the browser's own toolbar may have the focus.
    expect(await page.evaluate(() => document.activeElement === document.body || !!document.activeElement?.closest('dialog'))).toBe(true);
  }
  await accessible(page, 'a dialog');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(node).toBeFocused();
});

test('combobox: Down opens and moves, letters filter, Enter accepts, Escape closes the list before the form', async ({ page }) => {
  await useLetterKeys(page);
  await open(page);
  await entry(page, 'anchor-operator.v1.2.0', 'stable').focus();
  await page.keyboard.press('Enter');
  await expect(entry(page, 'anchor-operator.v1.2.0', 'stable')).toHaveAttribute('aria-pressed', 'true');
  await page.keyboard.press('r');
  const form = page.getByRole('dialog', { name: /^Set replaces/ });
  const box = form.getByRole('combobox', { name: 'Replaces' });
  const list = form.getByRole('listbox', { name: 'Suggestions' });
  const chosen = list.locator('[role=option][aria-selected=true]');
  await box.focus();
  await box.fill('');
  await page.keyboard.press('Escape');
  await expect(list).toBeHidden();
  await expect(form).toBeVisible();
  await expect(box).toHaveAttribute('aria-expanded', 'false');
  await page.keyboard.press('ArrowDown');
  await expect(list).toBeVisible();
  await expect(box).toHaveAttribute('aria-expanded', 'true');
  if (await chosen.count() === 0) await page.keyboard.press('ArrowDown');
  await expect(chosen).toHaveCount(1);
  await expect(box).toHaveAttribute('aria-activedescendant', await chosen.getAttribute('id') ?? '');
  await page.keyboard.press('ArrowUp');
  await expect(list.getByRole('option').last()).toHaveAttribute('aria-selected', 'true');
  await accessible(page, 'suggestions');
  await box.fill('1.0.0');
  await expect(list.getByRole('option')).toHaveCount(1);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(list).toBeHidden();
  await expect(box).toHaveValue('anchor-operator.v1.0.0');
  await expect(box).toBeFocused();

  await test.step('Enter after typing does not apply the form, and the list opens at the current value', async () => {
    await page.keyboard.press('Enter');
    await expect(form).toBeVisible();
    await box.fill('anchor-operator.v1.1.0');
    await page.keyboard.press('Enter');
    await expect(form).toBeVisible();
    await page.keyboard.press('ArrowDown');
    await expect(chosen).toHaveText(/^anchor-operator\.v1\.1\.0/);
    await page.keyboard.press('Enter');
    await expect(box).toHaveValue('anchor-operator.v1.1.0');
    await box.fill('v1.0');
    await page.keyboard.press('Enter');
    await expect(box, 'the only match, but not by prefix').toHaveValue('v1.0');
    await box.fill('anchor-operator.v1.0');
    await page.keyboard.press('Enter');
    await expect(box).toHaveValue('anchor-operator.v1.0.0');
    await expect(form).toBeVisible();
    await expect(page.getByRole('button', { name: 'Undo' }).first()).toBeDisabled();
  });

  await test.step('Ctrl+Enter applies the form from any field', async () => {
    await expect(form).toContainText('Ctrl+Enter applies.');
    await page.keyboard.press('Control+Enter');
    await expect(form).toBeHidden();
    await expect(page.getByRole('list', { name: 'History' })).toContainText('Set replaces of anchor-operator.v1.2.0 in stable to anchor-operator.v1.0.0');
  });
});

test('radio group: arrows select and wrap around', async ({ page }) => {
  await open(page);
  const lens = page.getByRole('group', { name: 'Lens' }).getByRole('radio');
  await lens.first().focus();
  await page.keyboard.press('ArrowRight');
  await expect(lens.nth(1)).toBeFocused();
  await expect(lens.nth(1)).toBeChecked();
  await page.keyboard.press('ArrowRight');
  await expect(lens.first()).toBeFocused();
  await expect(lens.first()).toBeChecked();
  await expect(page.getByRole('group', { name: 'Lens' }).locator('[tabindex="0"]')).toHaveCount(1);
});

test('with forced colors and in a window of half the size everything stays visible', async ({ page }) => {
  await open(page);
  await page.emulateMedia({ forcedColors: 'active' });
  const node = entry(page, 'anchor-operator.v1.2.0', 'stable');
  await page.keyboard.press('Tab');
  await node.focus();
  await page.keyboard.press('ArrowLeft');
  const outline = await page.evaluate(() => {
    const style = getComputedStyle(document.activeElement!);
    return [style.outlineStyle, style.strokeWidth, style.boxShadow].join(' ');
  });
  expect(outline, 'the focus is visible').not.toMatch(/^none 0px none$/);
  await page.keyboard.press('2');
  const grid = page.getByRole('grid', { name: /^Entries of / });
  await grid.getByRole('button', { name: 'anchor-operator.v1.2.0' }).first().focus();
  await page.keyboard.press('ArrowRight');
  const cell = await page.evaluate(() => getComputedStyle(document.activeElement!).outlineStyle);
  expect(cell).not.toBe('none');
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type('anchor');
  const first = page.getByRole('dialog', { name: 'Command palette' }).getByRole('option').first();
  await expect(first).toHaveAttribute('aria-selected', 'true');
  await expect(first.locator('mark')).toHaveText('anchor');
  await page.keyboard.press('Escape');
  await page.emulateMedia({ forcedColors: null });

  // The window size at a zoom of 200 %.
  await page.setViewportSize({ width: 720, height: 450 });
  await page.keyboard.press('ControlOrMeta+k');
  const palette = page.getByRole('dialog', { name: 'Command palette' });
  await expect(palette).toBeInViewport({ ratio: 0.99 });
  await page.keyboard.press('Escape');
  await expect(grid).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page does not scroll sideways').toBe(true);
});
