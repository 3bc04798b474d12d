// The start page before its program is there: it takes what is dropped or picked, says so, and nothing of it is lost.
import type { Page } from '@playwright/test';
import { PASSES, UNDER_A_PATH, accessible, drop, expect, fixture, packageItem, pickerAnswers, test, verdict } from '../harness';

// A browser of its own: a program that was compiled before comes sooner.
test.use({ profile: 'own' });

/// Opens the page and holds its program back. The answer lets it come.
async function early(page: Page): Promise<() => void> {
  let release = (): void => {};
  const released = new Promise<void>(resolve => { release = resolve; });
  await page.route('**/page-*.wasm', async route => {
    await released;
    await route.continue();
  });
  await page.goto(UNDER_A_PATH, { waitUntil: 'commit' });
  await expect(page.getByRole('button', { name: 'Open folder…' })).toBeEnabled();
  return release;
}

const waiting = (page: Page) => page.getByText('What you chose opens as soon as the program is loaded.');

test('what is dropped before the program is there is opened once it is', async ({ page, violations }) => {
  const comes = await early(page);
  await expect(page.getByRole('progressbar', { name: 'Loading the program' })).toBeVisible();
  await expect(waiting(page)).toBeHidden();
  await accessible(page, 'the start page before its program');
  await drop(page, [fixture('harbor')]);
  await expect(waiting(page)).toBeVisible();
  comes();
  await expect(verdict(page)).toHaveText(PASSES);
  await expect(packageItem(page, 'anchor-operator')).toBeVisible();
  await expect(page.locator('#start')).toHaveCount(0);
  expect(violations).toEqual([]);
});

test('of two that are dropped before the program is there the last is opened', async ({ page }) => {
  const comes = await early(page);
  await page.getByRole('button', { name: 'Try a sample' }).click();
  await drop(page, [fixture('reef')]);
  await drop(page, [fixture('harbor')]);
  comes();
  await expect(verdict(page)).toHaveText(PASSES);
  await expect(packageItem(page, 'anchor-operator')).toBeVisible();
  await expect(page.getByRole('list', { name: 'Catalogs' }).getByRole('listitem')).toHaveCount(1);
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('the focus stays where it is when the program comes', async ({ page }) => {
  const comes = await early(page);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  const files = page.getByRole('button', { name: 'Open files…' });
  await expect(files).toBeFocused();
  comes();
  await expect(page.locator('#boot')).toHaveCount(0);
  await expect(files).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(packageItem(page, 'lantern')).toBeVisible();
});

test('what is picked before the program is there is opened once it is', async ({ page }) => {
  const picks = await pickerAnswers(page);
  const comes = await early(page);
  await picks(fixture('harbor'));
  await page.getByRole('button', { name: 'Open folder…' }).press('Enter');
  await expect(waiting(page)).toBeVisible();
  comes();
  await expect(packageItem(page, 'anchor-operator')).toBeVisible();
});

test('files of the input, and the sample, are opened once the program is there', async ({ page }) => {
  let comes = await early(page);
  await page.getByLabel('Catalog files').setInputFiles([`${fixture('harbor')}/anchor-operator/catalog.yaml`]);
  await expect(waiting(page)).toBeVisible();
  comes();
  await expect(packageItem(page, 'anchor-operator')).toBeVisible();

  comes = await early(page);
  await page.getByRole('button', { name: 'Try a sample' }).click();
  comes();
  await expect(packageItem(page, 'lantern')).toBeVisible();
});

test('a picker that is open when the program comes is heard', async ({ page }) => {
  await page.addInitScript(() => {
    const picked = new Promise(resolve => { Object.assign(window, { __pick: resolve }); });
    Object.assign(window, { showDirectoryPicker: () => picked });
  });
  const comes = await early(page);
  await page.getByRole('button', { name: 'Open folder…' }).click();
  comes();
  await expect(page.locator('#boot')).toHaveCount(0);
  await expect(waiting(page)).toHaveCount(0);
  await page.evaluate(async () => {
    const top = await (await navigator.storage.getDirectory()).getDirectoryHandle('picked', { create: true });
    const file = await (await top.getFileHandle('catalog.yaml', { create: true })).createWritable();
    await file.write('schema: olm.package\nname: late-operator\ndefaultChannel: stable\n');
    await file.close();
    (window as unknown as { __pick(handle: FileSystemDirectoryHandle): void }).__pick(top);
  });
  await expect(packageItem(page, 'late-operator')).toBeVisible();
});

test('the start page has the theme that was chosen before its program is there', async ({ page }) => {
  await page.addInitScript(() => localStorage.setItem('switchyard.theme', 'dark'));
  await early(page);
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
});

test('a new catalog that is asked for before the program is there begins once it is', async ({ page }) => {
  const comes = await early(page);
  await page.getByRole('button', { name: 'New catalog…' }).click();
  await expect(waiting(page)).toBeVisible();
  comes();
  const dialog = page.getByRole('dialog', { name: 'New catalog' });
  await expect(dialog.getByLabel('Name')).toHaveValue('catalog');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await expect(page.getByRole('heading', { name: 'catalog has no packages yet' })).toBeVisible();
});
