// Problems: their explanations and fixes, the keys that visit them, and the marks in the views.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { catalogOf, inAChain } from '../catalogs';
import type { Locator, Page } from '@playwright/test';
import { PASSES, accessible, apply, choosePackage, command, entry, expect, field, fixture, openFolder, packageItem, test, useLetterKeys, verdict } from '../harness';

const problems = (page: Page): Locator => page.getByRole('region', { name: 'Problems' });
const problem = (page: Page, text: string | RegExp): Locator => problems(page).getByRole('listitem').filter({ hasText: text }).first();
const toggle = (item: Locator): Locator => item.locator('[aria-expanded]').first();
const FORKED = /^Fails opm validate: 1 errors?$/;

test('two heads are explained side by side and joined by the suggested fix', async ({ page, violations }) => {
  // Three accessibility scans in two color schemes.
  test.slow();
  await openFolder(page, fixture('forked'));
  await expect(verdict(page)).toHaveText(FORKED);
  await expect(packageItem(page, 'winch-operator')).toHaveAccessibleName(/1 error/);
  const headProblem = problem(page, 'channel-head-multiple');
  await expect(headProblem).toContainText('winch-operator/catalog.yaml:15');
  // The first package passes; the failing one is shown.
  await expect(page.getByRole('region', { name: 'Upgrade graph of winch-operator' })).toBeVisible();

  await test.step('the explanation shows both chains', async () => {
    await toggle(headProblem).click();
    const chains = headProblem.getByRole('group', { name: 'The part of the graph' });
    await expect(chains.getByRole('list')).toHaveCount(2);
    for (const head of ['winch-operator.v1.1.1', 'winch-operator.v1.2.0'])
      await expect(chains.getByRole('listitem').filter({ hasText: head })).toContainText('head');
    await headProblem.getByText('About channel-head-multiple').click();
    await expect(headProblem).toContainText('multiple channel heads found in graph');
    await accessible(page, 'an open problem');
  });

  await test.step('the affected entry is selected and marked', async () => {
    await expect(entry(page, 'winch-operator.v1.1.1', 'stable')).toHaveAccessibleName(/1 error: channel stable has 2 heads/);
    await expect(entry(page, 'winch-operator.v1.1.1', 'stable')).toHaveAttribute('aria-pressed', 'true');
    await page.getByRole('tab', { name: 'Table' }).click();
    await expect(page.getByRole('row').filter({ hasText: 'winch-operator.v1.1.1' }).first()).toContainText('1 error');
    await page.getByRole('tab', { name: 'Source' }).click();
    const sign = page.getByRole('region', { name: /^Source of/ }).getByRole('note', { name: /has 2 heads/ });
    await expect(sign).toBeVisible();
    await accessible(page, 'marked source');
    await page.getByRole('tab', { name: 'Graph' }).click();
  });

  await test.step('the fix is previewed and applied', async () => {
    await headProblem.getByRole('button', { name: /^Preview: Let winch-operator.v1.2.0 skip winch-operator.v1.1.1/ }).click();
    const dialog = page.getByRole('dialog', { name: /^Let winch-operator.v1.2.0 skip/ });
    const preview = dialog.getByRole('region', { name: 'Preview' });
    await expect(preview).toContainText('skips');
    await expect(preview.getByRole('region', { name: 'Consequences' })).toContainText('passes opm validate now');
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await expect(dialog).toBeHidden();
    await expect(verdict(page)).toHaveText(PASSES);
    await expect(headProblem).toBeHidden();
    await expect(page.getByRole('list', { name: 'History' })).toContainText('Let winch-operator.v1.2.0 skip winch-operator.v1.1.1');
  });

  await test.step('undo brings it back', async () => {
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await expect(verdict(page)).toHaveText(FORKED);
    await expect(headProblem).toBeVisible();
    await expect(headProblem).not.toHaveAttribute('data-new', 'true');
  });

  await test.step('a problem caused by an edit is marked as new', async () => {
    await page.getByRole('button', { name: 'Redo' }).first().click();
    await expect(verdict(page)).toHaveText(PASSES);
    const form = await command(page, 'Remove skip…');
    await field(form, 'Channel', 'stable');
    await field(form, 'Entry', 'winch-operator.v1.2.0');
    await field(form, 'Skip', 'winch-operator.v1.1.1');
    await apply(form);
    await expect(headProblem).toHaveAttribute('data-new', 'true');
    await expect(headProblem.getByText('new', { exact: true })).toBeVisible();
  });
  expect(violations).toEqual([]);
});

test('a button reveals the fixes that do not fit the row', async ({ page }) => {
  await useLetterKeys(page);
  // A misspelt name with three fixes: correct it, skip everything below, or remove the entry, whose bundle is in
  // another channel.
  const stable = [...inAChain(['1.0.0', '1.1.0']), { version: '1.2.0', replaces: '91.1.0' }];
  await openFolder(page, catalogOf('spelt', 'winch-operator', 'quay.io/example/winch', { stable, fast: inAChain(['1.0.0', '1.1.0', '1.2.0']) }));
  const headProblem = problem(page, 'channel-head-multiple');
  const moreFixes = headProblem.getByRole('button', { name: /^\d+ more fix/ });
  await expect(page.getByRole('region', { name: /^Upgrade graph of/ })).toBeVisible();
  await page.keyboard.press('j');
  await expect(moreFixes).toHaveText(/^\+\d/);
  await moreFixes.click();
  await expect(moreFixes).toBeHidden();
  await expect(headProblem.getByRole('button', { name: /^Preview: / })).toHaveCount(3);
});

test('a problem is fixed with the keyboard only', async ({ page }) => {
  await openFolder(page, fixture('forked'));
  await expect(problem(page, 'channel-head-multiple')).toBeVisible();
  await page.keyboard.press('F8');
  const headProblem = problem(page, 'channel-head-multiple');
  await expect(toggle(headProblem)).toBeFocused();
  await expect(toggle(headProblem)).toHaveAttribute('aria-expanded', 'true');
  const apply = headProblem.getByRole('button', { name: /^Apply: Let winch-operator.v1.2.0 skip/ });
  await expect(apply).toBeVisible();
  for (let presses = 0; presses < 40 && !(await apply.evaluate(element => element === document.activeElement)); presses++)
    await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(verdict(page)).toHaveText(PASSES);
  await page.keyboard.press('ControlOrMeta+z');
  await expect(verdict(page)).toHaveText(FORKED);
  await page.keyboard.press('F8');
  await expect(toggle(headProblem)).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(toggle(headProblem)).toHaveAttribute('aria-expanded', 'false');
  await expect(toggle(headProblem)).toBeFocused();
});

test('next and previous problem move the selection, and the list can be filtered', async ({ page }) => {
  const dir = fixture('forked');
  const broken = path.join(dir, 'buoy-operator/catalog.json');
  fs.writeFileSync(broken, fs.readFileSync(broken, 'utf8').replace('"skipRange": "<0.2.0"', '"skipRange": "<0.2.x.y"'));
  fs.writeFileSync(path.join(dir, 'half.yaml'), 'schema: olm.package\nname: [unclosed\n');
  await openFolder(page, dir);
  const items = problems(page).getByRole('listitem');
  await expect(problem(page, 'channel-head-multiple')).toBeVisible();
  await expect(problem(page, 'half.yaml')).toBeVisible();

  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  await test.step('next', async () => {
    await page.keyboard.press('F8');
    await expect(page.getByRole('tab', { name: 'Source' }), 'a problem without a package is shown in its file').toHaveAttribute('aria-selected', 'true');
    await expect(page.getByRole('region', { name: 'Source of half.yaml' })).toBeVisible();
    await page.keyboard.press('1');
    for (let presses = 0; presses < 12; presses++) {
      await page.keyboard.press('F8');
      if (await toggle(problem(page, 'skiprange-invalid')).getAttribute('aria-expanded') === 'true') break;
    }
    await expect(inspector).toContainText('buoy-operator.v0.2.0');
    await expect(entry(page, 'buoy-operator.v0.2.0', 'alpha')).toHaveAttribute('aria-pressed', 'true');
  });
  await test.step('to the other package and back', async () => {
    for (let presses = 0; presses < 12; presses++) {
      await page.keyboard.press('F8');
      if (await toggle(problem(page, 'channel-head-multiple')).getAttribute('aria-expanded') === 'true') break;
    }
    await expect(inspector).toContainText('winch-operator.v1.1.1');
    await page.keyboard.press('Shift+F8');
    await expect(inspector).not.toContainText('winch-operator.v1.1.1');
  });
  await test.step('filter', async () => {
    const all = await items.count();
    await problems(page).getByRole('searchbox', { name: 'Search problems' }).fill('heads');
    await expect(problem(page, 'channel-head-multiple')).toBeVisible();
    await expect(problem(page, 'half.yaml')).toBeHidden();
    await problems(page).getByRole('searchbox', { name: 'Search problems' }).fill('nothing is like this');
    await expect(problems(page)).toContainText('No problem matches.');
    await problems(page).getByRole('button', { name: 'Show all' }).click();
    await expect(items).toHaveCount(all);
    await problems(page).getByRole('button', { name: /^Errors/ }).click();
    await expect(problems(page).getByRole('button', { name: /^Errors/ })).toHaveAttribute('aria-pressed', 'true');
  });
});

test('more advice is shown on request', async ({ page }) => {
  await openFolder(page, fixture('forked'));
  const items = problems(page).getByRole('listitem');
  const advice = problems(page).getByLabel('Advice');
  // Clicking the selected tab opens its list.
  await page.getByRole('tab', { name: /^Problems/ }).click();
  await expect(advice).toBeVisible();
  await advice.selectOption('opm');
  await expect(items).toHaveCount(1);
  await advice.selectOption('strict');
  await expect.poll(() => items.count()).toBeGreaterThan(1);
  await expect(verdict(page), 'advice does not fail validation').toHaveText(FORKED);
  await accessible(page, 'advice');
});

test('thousands of problems stay responsive, and each can be reached', async ({ page }) => {
  test.slow();
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-many-'));
  for (let number = 0; number < 400; number++) {
    const name = `p${String(number).padStart(3, '0')}`;
    const entries = ['a', 'b', 'c', 'd', 'e'].map(letter => `  - name: ${name}.v${letter}\n`).join('');
    fs.writeFileSync(path.join(dir, `${name}.yaml`), `schema: olm.package\nname: ${name}\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: ${name}\nname: stable\nentries:\n${entries}`);
  }
  await openFolder(page, dir);
  await expect(problem(page, /p000/)).toBeVisible();
  await page.keyboard.press('Shift+F8');
  await expect(problems(page).getByRole('heading', { name: /^p399/ })).toBeVisible();
  const toggled = problems(page).locator('[aria-expanded="true"]');
  await expect(toggled).toBeFocused();
  await page.keyboard.press('Home');
  await expect(problems(page).getByRole('heading', { name: /^p000/ })).toBeVisible();
  expect(await problems(page).getByRole('listitem').count()).toBeLessThan(201);
  await choosePackage(page, 'p200');
});
