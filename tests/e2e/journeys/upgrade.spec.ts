// Upgrade paths: their reasons, the two lenses and their differences, the upgrade map, comparisons, and stranded
// users.
import type { Page } from '@playwright/test';
import fs from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { PASSES, accessible, apply, choosePackage, command, corpus, drop, entry, expect, field, fixture, graph, openFolder, test, useLetterKeys, verdict } from '../harness';

const inspector = (page: Page) => page.getByRole('complementary', { name: 'Inspector' });
const path = (page: Page, lens: string) => inspector(page).getByRole('list', { name: `Path under ${lens}` });
/// The answer of a lens in one line.
const lensAnswer = (page: Page, name: string) => inspector(page).locator('.path-line').filter({ hasText: name });
const map = (page: Page) => page.getByRole('table', { name: /^Upgrade map of / });
/// The row of a version in the upgrade map.
const row = (page: Page, version: string) => map(page).getByRole('row').filter({ has: page.getByRole('button', { name: version, exact: true }) });
/// The cell with its next step under OLM v1.
const nextUnderV1 = (page: Page, version: string) => row(page, version).getByRole('cell').nth(3);

async function setInstalled(page: Page, what: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Installed' }).fill(what);
  await page.keyboard.press('Enter');
}

const lens = (page: Page, name: string) => page.getByRole('group', { name: 'Lens' }).getByText(name).click();

async function openCatalog(page: Page, folder: string, catalog: string, name: string): Promise<void> {
  await openFolder(page, folder);
  await page.getByRole('list', { name: 'Catalogs' }).getByRole('listitem', { name: new RegExp(`^${catalog}`) }).getByRole('button').click();
  await choosePackage(page, name);
}

/// Chooses a package without leaving the tab.
async function choosePackageHere(page: Page, name: string): Promise<void> {
  await page.getByRole('searchbox', { name: 'Search packages' }).fill(name);
  await page.getByRole('list', { name: 'Packages' }).getByRole('listitem', { name: new RegExp(`^${name}`) }).getByRole('button').click();
}

test('a path is drawn, with the reason of each step', async ({ page }) => {
  await openCatalog(page, fixture('beacon'), 'v4.20', 'beacon-operator');
  const top = async (): Promise<number | undefined> => (await graph(page).boundingBox())?.y;
  const before = await top();
  await setInstalled(page, '1.1.0');
  const steps = path(page, 'Classic (v0)').getByRole('listitem');
  await expect(steps).toHaveCount(2);
  await expect(page.getByRole('group', { name: 'Subscription' })).toBeVisible();
  expect(await top(), 'the graph does not move').toBe(before);
  await expect(steps.nth(0)).toContainText('beacon-operator.v1.2.0');
  await expect(steps.nth(0)).toContainText(/replaces beacon-operator\.v1\.1\.0/);
  await expect(steps.nth(1)).toContainText(/replaces beacon-operator\.v1\.2\.0/);
  await expect(graph(page).locator('.route:not(.other) > .route-tip'), 'arrowheads').toHaveCount(2);
  await steps.nth(1).getByRole('button').click();
  await expect(entry(page, 'beacon-operator.v1.3.0', 'stable')).toHaveAttribute('aria-pressed', 'true');

  await page.getByRole('group', { name: 'Approval' }).getByText('Manual').click();
  await expect(inspector(page)).toContainText(/waits until somebody approves/i);
  await inspector(page).getByText('On another channel').click();
  await inspector(page).getByRole('button', { name: 'Subscribe to nightly' }).click();
  await expect(page.getByLabel('Subscribed channel')).toHaveValue('nightly');
  await expect(path(page, 'Classic (v0)')).toContainText('2.0.0-nightly.2');
  await accessible(page, 'the path of one version');
});

test('a folded stack with the installed version carries its mark', async ({ page, violations }) => {
  const dir = join(fs.mkdtempSync(join(os.tmpdir(), 'switchyard-stacks-')), 'stacks');
  const versions = Array.from({ length: 30 }, (_, n) => `1.${Math.floor(n / 3)}.${n % 3}`);
  const entries = versions.map((version, n) => ({ name: `tower.v${version}`, ...n > 0 && { replaces: `tower.v${versions[n - 1]}` } }));
  const bundle = (version: string) => ({
    schema: 'olm.bundle', package: 'tower', name: `tower.v${version}`, image: `quay.io/x/tower:v${version}`,
    properties: [{ type: 'olm.package', value: { packageName: 'tower', version } }],
  });
  const blobs = [
    { schema: 'olm.package', name: 'tower', defaultChannel: 'stable' },
    { schema: 'olm.channel', package: 'tower', name: 'stable', entries }, ...versions.map(bundle),
  ];
  fs.mkdirSync(join(dir, 'tower'), { recursive: true });
  fs.writeFileSync(join(dir, 'tower/catalog.json'), blobs.map(blob => JSON.stringify(blob)).join('\n'));
  await openFolder(page, dir);
  await choosePackage(page, 'tower');
  const stack = graph(page).getByRole('button', { name: /^3 entries of 1\.2 in stable/ });
  await expect(stack).not.toHaveAccessibleName(/installed/);

  await setInstalled(page, '1.2.1');
  await expect(stack).toHaveAccessibleName(/, with the installed version$/);
  await expect(stack.locator('.installed-mark')).toHaveCount(1);
  await expect(graph(page).locator('.installed-mark')).toHaveCount(1);
  await stack.press('Enter');
  await expect(entry(page, 'tower.v1.2.1', 'stable')).toHaveAccessibleName(/, installed$/);
  await expect(entry(page, 'tower.v1.2.0', 'stable')).not.toHaveAccessibleName(/installed/);
  expect(violations).toEqual([]);
});

test('text typed into Installed before its package is loaded is kept and used for that package', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  await page.getByRole('searchbox', { name: 'Search packages' }).fill('');
  // In one task of the page, so that no answer of the worker comes in between.
  const typedAtOnce = (name: string, text: string, key: string) => page.evaluate(async ([name, text, key]) => {
    const item = document.querySelector(`[aria-label="Packages"] [aria-label^="${name}"]`);
    item?.querySelector('button')?.click();
    for (let turn = 0; turn < 100; turn += 1) await null; // lets the page switch packages, without messages
    const field = document.querySelector<HTMLInputElement>('#installed-field');
    if (!field) throw new Error('no field Installed');
    field.focus();
    field.value = text;
    field.dispatchEvent(new InputEvent('input', { bubbles: true }));
    if (key) field.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  }, [name, text, key] as const);
  await typedAtOnce('crane-operator', '1.0.0', 'Enter');
  await expect(page.getByRole('region', { name: 'Upgrade graph of crane-operator' })).toBeVisible();
  await expect(inspector(page).getByRole('region', { name: 'Upgrade path from 1.0.0' })).toContainText(/OLM v1.*updates to 2\.0\.0/);

  await typedAtOnce('anchor-operator', 'every', '');
  await expect(page.getByRole('region', { name: 'Upgrade graph of anchor-operator' })).toBeVisible();
  await expect(page.getByRole('combobox', { name: 'Installed' })).toHaveValue('every');
  await page.getByRole('combobox', { name: 'Installed' }).press('End');
  await page.keyboard.type('one');
  await page.keyboard.press('Enter');
  await expect(map(page)).toHaveAccessibleName('Upgrade map of anchor-operator');
});

test('a prefix of a version is completed; a version missing from the catalog is found by name, or the page says how to enter it', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  await setInstalled(page, '1.1');
  await expect(page.getByRole('combobox', { name: 'Installed' })).toHaveValue('1.1.0');
  const answer = inspector(page).getByRole('region', { name: /^Upgrade path from / });
  // Only entries name it and no bundle exists: the version is taken from the name.
  await setInstalled(page, 'anchor-operator.v1.2.1');
  await expect(path(page, 'Classic (v0)').or(answer).first()).toContainText(/version 1\.2\.1 of anchor-operator\.v1\.2\.1 is read from its name/);
  // With an explicit version, under any name.
  await setInstalled(page, 'anchor-operator.old@1.1.5');
  await expect(answer).toContainText('anchor-operator.v1.2.0');
  // A misspelt name is rejected.
  await setInstalled(page, 'anchor-oprator.v1.0.0');
  await expect(answer).toContainText(/nothing in package anchor-operator mentions anchor-oprator\.v1\.0\.0.*anchor-operator\.v1\.0\.0/);
  await expect(page.getByRole('combobox', { name: 'Installed' })).toHaveAttribute('aria-invalid', 'true');
  await setInstalled(page, 'anchor-operator.old');
  await expect(answer).toContainText('anchor-operator.old@VERSION');
});

test('where Classic and OLM v1 differ, both answers are shown', async ({ page }) => {
  await openCatalog(page, fixture('beacon'), 'v4.20', 'beacon-operator');
  await setInstalled(page, '1.2.0');
  await expect(inspector(page)).toContainText('OLM Classic and OLM v1 differ.');
  await expect(lensAnswer(page, 'Classic')).toContainText('updates to 1.3.0');
  await expect(lensAnswer(page, 'OLM v1')).toContainText('updates to 2.0.0-nightly.2');
  await expect(graph(page).locator('.route.other')).not.toHaveCount(0);

  await lens(page, 'OLM v1');
  await expect(path(page, 'OLM v1')).toContainText('skipRange >=1.0.0 <2.0.0-nightly.2');
  await page.getByRole('combobox', { name: 'Channels' }).fill('stable');
  await page.keyboard.press('Enter');
  await expect(path(page, 'OLM v1').getByRole('listitem').first()).toContainText('beacon-operator.v1.3.0');
  await expect(inspector(page)).not.toContainText('OLM Classic and OLM v1 differ.');
});

test('a version range shows what it admits while typing', async ({ page }) => {
  await openCatalog(page, fixture('beacon'), 'v4.20', 'beacon-operator');
  await setInstalled(page, 'everyone');
  await lens(page, 'OLM v1');
  await expect(nextUnderV1(page, '1.2.0')).toContainText('2.0.0-nightly.2');
  await page.getByTitle('Ask about other clusters').click();
  const range = page.getByLabel('Version range');
  await range.pressSequentially('<1.3');
  await expect(page.getByText('admits 2 of 5: 1.2.0, 1.1.0')).toBeVisible();
  await range.fill('~> banana');
  await expect(range).toHaveAttribute('aria-invalid', 'true');
  await expect(page.getByText('improper constraint: "~> banana"', { exact: true })).toBeVisible();
  await range.fill('');
  await row(page, '1.2.0').getByRole('button').click();
  await page.getByRole('button', { name: /^Pin to 1\.2\.x/ }).click();
  await expect(range).toHaveValue('1.2.x');
  await expect(page.getByText('admits 1 of 5: 1.2.0')).toBeVisible();
  await range.fill('>=1.2');
  await expect(page.getByText(/leaves out 2 pre-releases/)).toBeVisible();
  await range.fill('');
  await page.keyboard.press('Enter');
  await page.getByRole('group', { name: 'Upgrade constraint policy' }).getByText('SelfCertified').click();
  await expect(path(page, 'OLM v1')).toContainText('2.0.0-nightly.2');
  await accessible(page, 'a version range');
});

test('a stranded user is explained and freed', async ({ page }) => {
  await openFolder(page, fixture('reef'));
  await choosePackage(page, 'reef-operator');
  await expect(verdict(page)).toHaveText(/Fails opm validate/);
  await setInstalled(page, 'everyone');
  await expect(row(page, '0.9.0')).toContainText(/no update in Classic/);
  await row(page, '0.9.0').getByRole('button').click();
  await expect(inspector(page)).toContainText(/Upgrade path from 0\.9\.0/);
  await expect(inspector(page)).toContainText(/is skipped by reef-operator\.v0\.9\.2, and Classic never updates to a skipped entry/);

  const form = await command(page, 'Add skip…');
  await field(form, 'Channel', 'stable');
  await field(form, 'Entry', 'reef-operator.v0.9.2');
  await field(form, 'Skip', 'reef-operator.v0.9.0');
  await expect(form.getByRole('region', { name: 'Consequences' })).toContainText(/0\.9\.0no update0\.9\.2Classic \(stable\)/);
  await apply(form);
  await expect(row(page, '0.9.0').getByRole('cell', { name: '0.9.2 by skips', exact: true }).first()).toHaveText('0.9.2');
  await expect(verdict(page)).toHaveText(PASSES);
});

test("the upgrade map is a table that the keyboard navigates", async ({ page }) => {
  await openCatalog(page, fixture('beacon'), 'v4.20', 'beacon-operator');
  await expect(entry(page, 'beacon-operator.v1.3.0', 'stable')).toBeVisible();
  await page.getByRole('tab', { name: 'Graph' }).focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('tab', { name: 'Table' })).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('tab', { name: 'Upgrade map' })).toBeFocused();
  const table = map(page);
  await expect(table.getByRole('row').filter({ hasText: '1.2.0' }).first()).toContainText('1.3.0');
  const heading = await table.locator('thead tr').last().locator('th').first().boundingBox();
  const first = await table.locator('tbody tr').first().boundingBox();
  expect(heading && first && heading.y + heading.height - first.y, 'the headings do not cover the first version').toBeLessThanOrEqual(1);
  await table.getByRole('button', { name: '1.1.0', exact: true }).focus();
  await page.keyboard.press('ArrowUp');
  await expect(table.getByRole('button', { name: '1.2.0', exact: true })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(inspector(page)).toContainText('Upgrade path from 1.2.0');
  await page.getByRole('button', { name: 'Classic and v1 differ' }).press('Enter');
  // Only the marks in use are explained.
  await page.getByRole('button', { name: 'What the marks mean' }).press('Enter');
  await expect(page.getByText('it is a stable version, and a step on its way is a prerelease')).toBeVisible();
  await expect(page.getByText('its updates run in a circle and never end')).toHaveCount(0);
  await accessible(page, 'the table of everyone');
});

test('sailoperator: under OLM v1 every stable user would get a nightly', async ({ page }) => {
  await openFolder(page, corpus('community/v4.20'));
  await choosePackage(page, 'sailoperator');
  await setInstalled(page, '1.29.1');
  await expect(lensAnswer(page, 'Classic')).toContainText('updates to 1.30.3');
  await expect(lensAnswer(page, 'OLM v1')).toContainText('updates to 1.31.0-nightly');
  await setInstalled(page, 'everyone');
  await expect(page.getByRole('button', { name: /^Classic and v1 differ\s*31$/ })).toBeVisible();
  await expect(row(page, '1.0.0').getByRole('cell').first(), 'not in the channel, but in a skip range').toHaveText('1.30.3');
  await expect(map(page).getByRole('row').nth(4)).toBeVisible();
  const cut = await map(page).locator('tbody :is(td, th)').evaluateAll((cells) => cells.filter((cell) => cell.scrollWidth > cell.clientWidth).length);
  expect(cut, 'cells of the upgrade map with hidden text').toBe(0);
  const high = await map(page).locator('tbody td.mono').evaluateAll((cells) => cells.filter((cell) => {
    const text = document.createRange();
    text.selectNodeContents(cell);
    return text.getBoundingClientRect().height > 40;
  }).length);
  expect(high, 'cells of three lines').toBe(0);
  await expect(map(page).getByTitle(/^1\.31\.0-nightly/).first(), 'the whole version').toBeVisible();
});

test('an unmet requirement has the same words in the inspector, the upgrade map and a preview', async ({ page }) => {
  await openFolder(page, corpus('community/v4.18'));
  await choosePackage(page, 'alloydb-omni-operator');
  const unmetRequirement = /alloydb-omni-operator\.v1\.8\.0 needs the API \w+ \(cert-manager\.io\/v1\), which this catalog does not provide/;
  await expect(inspector(page).locator('.path p').first(), 'a new install').toHaveText(unmetRequirement);
  await setInstalled(page, '1.7.1');
  await expect(inspector(page)).toContainText(unmetRequirement);
  await setInstalled(page, 'everyone');
  await expect(row(page, '1.7.1').getByRole('cell').first()).toHaveText('no update');
  await expect(row(page, '1.7.1')).toContainText(unmetRequirement);
  const form = await command(page, 'Set skip range…');
  await field(form, 'Channel', 'stable');
  await field(form, 'Entry', 'alloydb-omni-operator.v1.8.0');
  await field(form, 'Skip range', '>=1.3.0 <1.8.0');
  await expect(form.getByRole('region', { name: 'Consequences' })).toContainText(unmetRequirement);
});

const differing = (page: Page) => page.getByRole('list', { name: 'Packages that differ' });
const differs = (page: Page) => page.getByRole('region', { name: 'What differs' });
const affected = (page: Page) => differs(page).getByRole('table', { name: 'What users get' });

test('a comparison of two catalogs shows the differences, in the lanes too, and the affected users', async ({ page }) => {
  await openCatalog(page, fixture('beacon'), 'v4.20', 'beacon-operator');
  await page.keyboard.press('ControlOrMeta+k');
  const palette = page.getByRole('dialog', { name: 'Command palette' });
  await palette.getByRole('combobox').fill('Compare with');
  await page.keyboard.press('Enter');
  await page.getByLabel('Users come from').selectOption({ label: 'v4.19' });
  await expect(differing(page).getByRole('button')).toHaveCount(1);
  await expect(differing(page).getByRole('button', { name: /beacon-operator/ })).toContainText('update lost');
  const lostUsers = affected(page).getByRole('row').filter({ hasText: '1.0.0' }).filter({ hasText: 'Classic' }).first();
  await expect(lostUsers).toHaveAttribute('data-fate', 'stranded');
  await differs(page).getByText(/^Why\?/).click();
  await expect(page.getByRole('list', { name: 'Broken invariants' })).toContainText('beacon-operator.v1.0.0');
  await accessible(page, 'a comparison');

  const comparing = page.getByRole('group', { name: 'Comparison' });
  for (const tab of ['Table', 'Upgrade map', 'Source', 'Graph']) {
    await page.getByRole('tab', { name: tab }).click();
    await expect(comparing, `in view in ${tab}`).toContainText('Comparing with v4.19');
    // A trial click fails if another element covers the button.
    await comparing.getByRole('button', { name: 'Stop comparing' }).click({ trial: true });
    await comparing.getByText('Comparing with').click({ trial: true });
  }
  await expect(entry(page, 'beacon-operator.v1.3.0', 'stable')).toHaveAccessibleName(/added/);
  await expect(entry(page, 'beacon-operator.v1.1.0', 'stable')).toHaveAccessibleName(/changed/);
  await expect(graph(page).getByRole('button', { name: /^Channel stable.*removed: beacon-operator\.v1\.0\.0/ })).toBeVisible();

  // The comparison includes an edit that frees the stranded users.
  const form = await command(page, 'Set skip range…');
  await field(form, 'Channel', 'stable');
  await field(form, 'Entry', 'beacon-operator.v1.3.0');
  await field(form, 'Skip range', '>=1.0.0 <1.3.0');
  await apply(form);
  await page.getByRole('tab', { name: 'Compare' }).click();
  const freed = affected(page).getByRole('row').filter({ hasText: '1.0.0' }).filter({ hasText: 'Classic' }).first();
  await expect(freed).not.toHaveAttribute('data-fate', 'stranded');
});

test('the consequences of unsaved edits for users are shown, compared with the disk', async ({ page }) => {
  await useLetterKeys(page);
  await openCatalog(page, fixture('beacon'), 'v4.20', 'beacon-operator');
  const notServed = inspector(page).getByText('This catalog fails opm validate: opm v1.74.0 does not serve it until that is fixed.');
  await expect(inspector(page)).toContainText('beacon-operator');
  await expect(notServed).toBeHidden();
  const form = await command(page, 'Remove entry…');
  await field(form, 'Channel', 'stable');
  await field(form, 'Entry', 'beacon-operator.v1.3.0');
  const consequences = form.getByRole('region', { name: 'Consequences' });
  await expect(consequences).toContainText(/users on .* lose their version or channel/i);
  await consequences.getByText(/^Why\?/).click();
  await consequences.getByText('What to do', { exact: true }).first().click();
  await expect(consequences).toContainText('What to do');
  await accessible(page, 'a preview that breaks an invariant');
  await apply(form);
  await expect(page.getByRole('region', { name: 'Last edit' })).toContainText(/fails opm validate now; users on .* lose their version or channel/);
  await expect(notServed).toBeVisible();

  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('dialog', { name: 'Command palette' }).getByRole('combobox').fill('Review');
  await page.keyboard.press('Enter');
  const review = page.getByRole('dialog', { name: 'Review changes' });
  const forUsers = review.getByRole('list', { name: 'Packages that change for users' });
  await expect(forUsers.getByRole('listitem')).toHaveCount(1);
  await expect(forUsers).toContainText(/beacon-operator · .*lose their version or channel/is);
  await expect(forUsers, 'judged as in the preview').toContainText('Worse');
  await expect(review.getByRole('group', { name: /\.yaml$/ }), 'the changed lines stay visible').toBeVisible();
  await accessible(page, 'what the changes mean for users, in the review');
  await forUsers.getByRole('button', { name: /^Compare beacon-operator/ }).click();
  await expect(page.getByLabel('Users come from')).toHaveValue('disk');
  await expect(differing(page).getByRole('button')).toHaveCount(1);
  await differs(page).getByText(/^Why\?/).click();
  await expect(differs(page).getByRole('list', { name: 'Broken invariants' })).toContainText('lost-path');
  await expect(differs(page).getByRole('list', { name: 'Broken invariants' }).getByRole('listitem').first()).toBeInViewport({ ratio: 0.6 });
  const users = affected(page);
  await expect(users.getByRole('columnheader')).toHaveText(['Installed', 'Before', 'After', 'Under']);
  await expect(users.getByRole('rowheader', { name: 'New installs' }).first()).toBeVisible();
  await accessible(page, 'the tab against the disk');

  await page.getByRole('tab', { name: 'Graph' }).click();
  const removedEntry = entry(page, 'beacon-operator.v1.3.0', 'stable');
  await expect(removedEntry).toHaveAccessibleName(/removed/);
  await page.getByRole('tab', { name: 'Compare' }).click();
  await page.getByRole('button', { name: 'Stop comparing' }).click();
  await page.getByRole('tab', { name: 'Graph' }).click();
  // The removal is not saved yet.
  await expect(removedEntry).toHaveAccessibleName(/removed/);
  await page.keyboard.press('Shift+C');
  await expect(page.getByLabel('Users come from')).toBeFocused();
  await expect(differing(page).getByRole('button')).toHaveCount(1);
});

test('a catalog dropped on an open one can be compared with it', async ({ page }) => {
  const both = fixture('beacon');
  await openFolder(page, join(both, 'v4.20'));
  await drop(page, [join(both, 'v4.19')]);
  await page.getByRole('dialog', { name: /^Open / }).getByRole('button', { name: 'Compare' }).click();
  await expect(differing(page).getByRole('button', { name: /beacon-operator/ })).toContainText('update lost');
  await expect(page.getByLabel('Users come from')).toHaveValue(/v4\.19$/);
  await page.getByRole('button', { name: 'Swap' }).click();
  await expect(page.getByLabel('Users come from')).toHaveValue(/v4\.20$/);
});

test('a drop without a catalog is not compared, and reported', async ({ page }) => {
  await openFolder(page, join(fixture('beacon'), 'v4.20'));
  const dir = fs.mkdtempSync(join(os.tmpdir(), 'switchyard-broken-'));
  fs.mkdirSync(join(dir, 'loose/p'), { recursive: true });
  fs.writeFileSync(join(dir, 'loose/p/catalog.yaml'), 'schema: olm.package\nname: [p\n');
  await drop(page, [join(dir, 'loose')]);
  await page.getByRole('dialog', { name: /^Open / }).getByRole('button', { name: 'Compare' }).click();
  await expect(page.getByText('Nothing to compare: no new catalog in loose.').first()).toBeVisible();
  fs.rmSync(dir, { recursive: true });
});

test('versions by catalogs: present, continued, or blocking cluster updates', async ({ page }) => {
  await openCatalog(page, fixture('beacon'), 'v4.20', 'lamp-operator');
  await page.getByRole('tab', { name: 'Compare' }).click();
  await page.getByRole('group', { name: 'What is compared' }).getByText('Versions by catalog').click();
  const matrix = page.getByRole('table', { name: /Versions of lamp-operator by catalog/ });
  for (const name of [/v4\.19/, /v4\.20/]) await expect(matrix.getByRole('columnheader', { name })).toBeVisible();
  await expect(matrix.getByRole('row').filter({ has: page.getByRole('rowheader', { name: '1.0.0' }) })).toContainText(/blocks cluster updates/);
  await choosePackageHere(page, 'beacon-operator');
  const beacon = page.getByRole('table', { name: /Versions of beacon-operator by catalog/ });
  await expect(beacon.getByRole('row').filter({ has: page.getByRole('rowheader', { name: '1.0.0' }) })).toContainText(/gone/);
  await accessible(page, 'versions by catalogs');
});

test('community v4.19 against v4.20', async ({ page }) => {
  const from = corpus('community/v4.19');
  await openFolder(page, corpus('community/v4.20'));
  await drop(page, [from]);
  await page.getByRole('button', { name: 'Compare', exact: true }).click();
  await expect(differing(page).getByRole('button', { name: /kubebrowser/ })).toContainText(/removed/, { timeout: 30_000 });
  await expect(differing(page).getByRole('button', { name: /konflux-operator/ })).toContainText(/added/);
  await differing(page).getByRole('button', { name: /kubebrowser/ }).click();
  await expect(differs(page).getByRole('heading', { level: 2 })).toHaveText('kubebrowser');
  await expect(differs(page)).toContainText('This package is gone. The graph and the panel on the right still show');
  await choosePackageHere(page, 'alloydb-omni-operator');
  await expect(differs(page).getByRole('heading', { level: 2 })).toHaveText('alloydb-omni-operator');
  await differing(page).getByRole('button', { name: /multicluster-global-hub-operator/ }).click();
  await differs(page).getByText(/^Why\?/).click();
  await expect(page.getByRole('list', { name: 'Broken invariants' })).toContainText('multicluster-global-hub-operator');
});

test('the inspector shows the path from the selected version unless another one was requested', async ({ page, violations }) => {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  await expect(inspector(page).getByRole('region', { name: 'Upgrade path from a fresh install' })).toBeVisible();
  await entry(page, 'anchor-operator.v1.0.0', 'stable').click();
  const answer = inspector(page).getByRole('region', { name: 'Upgrade path from 1.0.0' });
  await expect(answer).toContainText('updates to 1.2.0');
  await answer.getByRole('button', { name: 'Draw the path from 1.0.0' }).click();
  await expect(page.getByRole('combobox', { name: 'Installed' })).toHaveValue('1.0.0');
  await expect(answer.getByRole('button', { name: /^Draw the path/ })).toHaveCount(0);
  await entry(page, 'anchor-operator.v1.1.0', 'stable').click();
  await expect(answer, 'it was requested').toBeVisible();
  await expect(answer.getByRole('button', { name: 'Show the path from 1.1.0' })).toBeVisible();
  expect(violations).toEqual([]);
});
