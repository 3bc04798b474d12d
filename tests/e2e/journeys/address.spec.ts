// The address contains what is shown: links, reloads and the back button restore it.
import { UNDER_A_PATH, choosePackage, drop, entry, expect, fixture, graph, openFolder, openRepository, test, useLetterKeys, verdict } from '../harness';

const HEAD = 'anchor-operator.v1.2.0';

test('the back button returns to a package with its selection', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  await entry(page, HEAD, 'stable').click();
  await expect(page).toHaveURL(/#.*package=anchor-operator&channel=stable&entry=anchor-operator\.v1\.2\.0$/);

  const other = page.getByRole('list', { name: 'Packages' }).getByRole('listitem').filter({ hasNotText: 'anchor-operator' }).first();
  await page.getByRole('searchbox', { name: 'Search packages' }).fill('');
  const name = ((await other.getAttribute('aria-label')) ?? '').split(',')[0] ?? '';
  await choosePackage(page, name);
  await expect(page).toHaveURL(new RegExp(`package=${name}`));

  await page.goBack();
  await expect(graph(page)).toHaveAccessibleName('Upgrade graph of anchor-operator');
  await expect(entry(page, HEAD, 'stable')).toHaveAttribute('aria-pressed', 'true');
  await expect(page).toHaveURL(/entry=anchor-operator\.v1\.2\.0$/);
  await page.goForward();
  await expect(graph(page)).toHaveAccessibleName(`Upgrade graph of ${name}`);
});

test('a link shows its entry once the folder is open', async ({ page }) => {
  await openFolder(page, fixture('harbor'), `${UNDER_A_PATH}#package=anchor-operator&channel=stable&entry=${HEAD}&view=table&lens=v1`);
  await expect(verdict(page)).toBeVisible();
  await expect(page.getByRole('tab', { name: 'Table' })).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByRole('complementary', { name: 'Inspector' })).toContainText(HEAD);
  await expect(page.getByRole('group', { name: 'Lens' }).getByRole('radio', { name: 'OLM v1' })).toBeChecked();
});

test('a link to the source of a package shows its text', async ({ page }) => {
  await openFolder(page, fixture('harbor'), `${UNDER_A_PATH}#package=anchor-operator&view=source`);
  await expect(page.getByRole('tab', { name: 'Source' })).toHaveAttribute('aria-selected', 'true');
  await expect(page.locator('.source-file')).toHaveText('anchor-operator/catalog.yaml');
});

test('hiding a panel by key reports the key that shows it again', async ({ page }) => {
  await useLetterKeys(page);
  await openFolder(page, fixture('harbor'));
  await graph(page).focus();
  const packages = page.getByRole('list', { name: 'Packages' });
  for (let press = 0; press < 2; press++) {
    await page.keyboard.press('l');
    if (press === 0) {
      await expect(packages).toBeHidden();
      await expect(page.getByRole('log', { name: 'Messages' })).toContainText('The packages are hidden: L shows them again.');
    }
  }
  await expect(packages).toBeVisible();
});

test('a link to a missing package keeps the default view', async ({ page }) => {
  await page.goto(`${UNDER_A_PATH}#package=no-such-operator`);
  await expect(page.getByRole('button', { name: 'Try a sample' })).toBeVisible();
  await drop(page, [fixture('harbor')]);
  await expect(verdict(page)).toHaveText(/opm validate/);
  await expect(graph(page)).toBeVisible();
  await expect(page).not.toHaveURL(/no-such-operator/);
});

test('the address of a repository names no catalog, and the back button returns to one', async ({ page }) => {
  await openRepository(page, fixture('lighthouse'), 'lens-operator', 'v4.19');
  await expect(page).toHaveURL(/package=lens-operator/);
  await page.getByRole('banner').getByRole('button', { name: 'Repository' }).click();
  await expect(page).toHaveURL(/#view=repository$/);
  await page.goBack();
  await expect(graph(page)).toHaveAccessibleName('Upgrade graph of lens-operator');
  await page.goForward();
  await expect(page.getByRole('grid', { name: 'Operators and catalogs' })).toBeVisible();
});
