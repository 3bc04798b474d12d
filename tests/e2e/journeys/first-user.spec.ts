// Findings of first-time users: room for the graph in a low window, panels that follow the package, plain words about
// an edit.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { accessible, apply, choosePackage, command, entry, expect, field, fixture, graph, openFolder, packageItem, test, useLetterKeys, verdict } from '../harness';

const lastEdit = (page: Page) => page.getByRole('region', { name: 'Last edit' });
const problems = (page: Page) => page.getByRole('region', { name: 'Problems' });
const inspector = (page: Page) => page.getByRole('complementary', { name: 'Inspector' });

/// Forty packages, each with two entries without bundles.
function writeGaps(): string {
  const dir = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-trial-')), 'gaps');
  for (let number = 10; number < 50; number++) {
    const name = `gap-${number}`;
    const entries = [{ name: `${name}.v1.1.0`, replaces: `${name}.v1.0.0` }, { name: `${name}.v1.0.0` }];
    const blobs = [
      { schema: 'olm.package', name, defaultChannel: 'stable' },
      { schema: 'olm.channel', package: name, name: 'stable', entries },
    ];
    fs.mkdirSync(path.join(dir, name), { recursive: true });
    fs.writeFileSync(path.join(dir, name, 'catalog.json'), blobs.map(blob => JSON.stringify(blob)).join('\n'));
  }
  return dir;
}

test('a low window leaves room for the graph beside problems and the last edit', async ({ page, violations }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await openFolder(page, fixture('beacon'));
  await page.getByRole('list', { name: 'Catalogs' }).getByRole('listitem', { name: /^v4.20/ }).getByRole('button').first().click();
  await choosePackage(page, 'beacon-operator');
  const range = await command(page, 'Set skip range…');
  await field(range, 'Channel', 'stable');
  await field(range, 'Entry', 'beacon-operator.v1.3.0');
  await field(range, 'Skip range', '>=1.0.0 <1.3.0');
  await apply(range);
  await expect(lastEdit(page)).toBeVisible();
  const area = graph(page).locator('.graph-area');
  await expect.poll(async () => (await area.boundingBox())?.height ?? 0, { message: 'room beside one bar' }).toBeGreaterThanOrEqual(420);
  const [graphBox, editBox] = [await area.boundingBox(), await lastEdit(page).boundingBox()];
  expect(editBox!.y, 'it covers nothing of the graph').toBeGreaterThanOrEqual(graphBox!.y + graphBox!.height - 1);
  await page.getByRole('tab', { name: 'Compare' }).click();
  await page.getByLabel('Users come from').selectOption({ label: 'v4.19' });
  await page.getByRole('tab', { name: 'Graph' }).click();
  await expect.poll(async () => (await area.boundingBox())?.height ?? 0, { message: 'room while comparing, too' }).toBeGreaterThanOrEqual(420);
  await page.getByRole('button', { name: 'Stop comparing' }).click();

  const form = await command(page, 'Remove entry…');
  await field(form, 'Channel', 'stable');
  await field(form, 'Entry', 'beacon-operator.v1.3.0');
  await apply(form);
  await page.getByRole('button', { name: 'Make problems larger' }).click();
  await expect(page.getByRole('button', { name: 'Make problems smaller' })).toBeVisible();

  await expect.poll(async () => (await area.boundingBox())?.height ?? 0, { message: 'room for lanes' }).toBeGreaterThan(280);
  await expect.poll(async () => (await lastEdit(page).boundingBox())?.height ?? 99).toBeLessThan(60);

  await accessible(page, 'a low window');

  await test.step('even when the list has its maximum height', async () => {
    const line = page.getByRole('separator', { name: 'Height of problems' });
    await line.focus();
    await page.keyboard.press('End');
    await expect(line).toHaveAttribute('aria-valuenow', '1200');
    await expect.poll(async () => (await area.boundingBox())?.height ?? 0).toBeGreaterThan(120);
  });
  expect(violations).toEqual([]);
});

test('the list of problems follows the package', async ({ page }) => {
  await openFolder(page, writeGaps());
  await expect(verdict(page)).toHaveText(/^Fails/);
  const count = page.getByRole('contentinfo').getByRole('button', { name: /errors · / });
  await count.click();
  await expect(problems(page).locator('[data-problem]').first()).toBeFocused();
  await expect(page.getByRole('button', { name: 'Make problems smaller' })).toBeVisible();

  const group = (name: string) => problems(page).getByRole('button', { name, exact: true });
  await packageItem(page, 'gap-40').click();
  await expect(group('gap-40')).toBeInViewport();
  await packageItem(page, 'gap-12').click();
  await expect(group('gap-12')).toBeInViewport();
  await expect(packageItem(page, 'gap-12').getByRole('button').first()).toBeFocused();

  await problems(page).getByRole('button', { name: /^This package/ }).click();
  await expect(problems(page).getByRole('heading', { level: 3 })).toHaveText(/gap-12/);
  await packageItem(page, 'gap-30').click();
  await expect(problems(page).getByRole('heading', { level: 3 })).toHaveText(/gap-30/);
  await accessible(page, 'the list of a package');
});

test('a new selection or question starts at the top of the inspector, and an edit keeps its scroll position', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'crane-operator');
  const top = () => inspector(page).evaluate(element => element.scrollTop);
  const scroll = async () => {
    await inspector(page).evaluate(element => { element.scrollTop = 200; });
    await expect.poll(top).toBeGreaterThan(100);
  };
  const node = graph(page).locator('.node.head').first();
  await node.click();
  await expect(node).toHaveAttribute('aria-pressed', 'true');
  await expect(inspector(page).getByRole('heading', { name: 'Commands' })).toBeVisible();
  await scroll();
  const range = inspector(page).getByRole('region', { name: 'Edit in place' }).getByLabel('Skip range', { exact: true });
  await range.fill('<0.0.9');
  await range.press('Enter');
  await expect(lastEdit(page)).toContainText('skip range');
  expect(await top()).toBeGreaterThan(100);
  await graph(page).locator('.node[aria-pressed="false"]').first().click();
  await expect.poll(top).toBe(0);
  await scroll();
  await page.getByRole('combobox', { name: 'Installed' }).fill('1.0.1');
  await page.keyboard.press('Enter');
  await expect.poll(top).toBe(0);
});

test('an edit that solves a problem is reported as an improvement', async ({ page }) => {
  await openFolder(page, fixture('forked'));
  await choosePackage(page, 'winch-operator');
  const headProblem = problems(page).getByRole('listitem').filter({ hasText: 'channel-head-multiple' }).first();
  await headProblem.locator('[aria-expanded]').first().click();
  await headProblem.getByRole('button', { name: /^Preview: Let winch-operator.v1.2.0 skip/ }).click();
  const dialog = page.getByRole('dialog', { name: /^Let winch-operator.v1.2.0 skip/ });
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await expect(dialog).toBeHidden();
  await expect(lastEdit(page).getByText(/^Better/)).toBeVisible();
  await expect(lastEdit(page).locator('[data-tone="bad"].consequence-bar')).toHaveCount(0);
  await accessible(page, 'an edit that solves');
  await page.getByRole('button', { name: 'Undo' }).first().click();
  // An undo is not judged: the message names the undone edit and offers to redo it.
  await expect(lastEdit(page)).toContainText('Undone: ');
  await expect(lastEdit(page)).not.toContainText(/Worse|breaks/);
  await expect(lastEdit(page).getByRole('button', { name: 'Do it again' })).toBeEnabled();
});

test('remove commands are hidden while there is nothing to remove', async ({ page }) => {
  await useLetterKeys(page);
  await openFolder(page, writeGaps());
  await packageItem(page, 'gap-20').click();
  await entry(page, 'gap-20.v1.1.0', 'stable').click();
  await expect(inspector(page).getByRole('button', { name: 'Withdraw bundle…' })).toBeVisible();
  await entry(page, 'gap-20.v1.1.0', 'stable').click({ button: 'right' });
  await expect(page.getByRole('menuitem', { name: /^Add skip/ })).toBeVisible();
  await expect(page.getByRole('menuitem', { name: /^Remove skip/ })).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expect(inspector(page).getByRole('button', { name: 'Skip a z-stream…' }), 'a single command of this kind').toHaveCount(0);

  const countOptions = async (name: string) => {
    await page.keyboard.press('ControlOrMeta+k');
    const palette = page.getByRole('dialog', { name: 'Command palette' });
    await palette.getByRole('combobox').fill('skip');
    await expect(palette.getByRole('option', { name: /^Add skip/ })).toBeVisible();
    const count = await palette.getByRole('option', { name: new RegExp(`^${name}`) }).count();
    await page.keyboard.press('Escape');
    await expect(palette).toBeHidden();
    return count;
  };
  expect(await countOptions('Remove skip')).toBe(0);
  await page.keyboard.press('Shift+S');
  await expect(page.getByRole('log', { name: 'Messages' })).toContainText('no entry of this package skips another');

  await test.step('and shown once there is', async () => {
    const form = await command(page, 'Add skip…');
    await field(form, 'Skip', 'gap-20.v0.9.0');
    await apply(form);
    expect(await countOptions('Remove skip')).toBe(1);
  });
});

test.describe('with a paused clock', () => {
  // The clock is paused for all pages of a browser.
  test.use({ profile: 'own' });

  test('a name is checked after typing, not during it', async ({ page }) => {
    await openFolder(page, fixture('harbor'));
    await choosePackage(page, 'crane-operator');
    const form = await command(page, 'Set default channel…');
    const channel = form.getByLabel('Channel', { exact: true });
    const preview = form.getByRole('region', { name: 'Preview' });
    await expect(channel).toBeFocused();
    // The clock only advances on request, so that a slow page does not cause a pause.
    await page.clock.install();
    await page.clock.pauseAt(new Date(Date.now() + 60_000));
    const waitShortly = () => page.clock.runFor(300);

    await channel.pressSequentially('stable-x');
    await waitShortly();
    await expect(preview, 'no channel starts like this').toContainText('Cannot be done');
    await channel.press('Backspace');
    await waitShortly();
    await expect(preview, 'two channels start like this').toContainText('Fill in the form');
    await page.clock.runFor(1500);
    await expect(preview, 'after a pause').toContainText('Cannot be done');
    await channel.press('Backspace');
    await waitShortly();
    await expect(preview).toContainText('Fill in the form');
    await channel.press('Tab');
    await waitShortly();
    await expect(preview, 'after leaving the field').toContainText('Cannot be done');
  });
});

/// A package with three bundles: with a date, with an unreadable date, and without one.
function dated(): string {
  const dir = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-trial-')), 'dated');
  const bundle = (version: string, created?: string) => ({
    schema: 'olm.bundle', package: 'dated', name: `dated.v${version}`, image: `quay.example/dated@sha256:${'0'.repeat(64)}`,
    properties: [
      { type: 'olm.package', value: { packageName: 'dated', version } },
      { type: 'olm.csv.metadata', value: { annotations: created ? { createdAt: created } : {}, displayName: 'Dated' } },
    ],
  });
  const entries = [{ name: 'dated.v1.2.0', replaces: 'dated.v1.1.0' }, { name: 'dated.v1.1.0', replaces: 'dated.v1.0.0' }, { name: 'dated.v1.0.0' }];
  const blobs = [
    { schema: 'olm.package', name: 'dated', defaultChannel: 'stable' },
    { schema: 'olm.channel', package: 'dated', name: 'stable', entries },
    bundle('1.2.0', '2024-05-22T12:57:44Z'), bundle('1.1.0', 'some day in May'), bundle('1.0.0'),
  ];
  fs.mkdirSync(path.join(dir, 'dated'), { recursive: true });
  fs.writeFileSync(path.join(dir, 'dated', 'catalog.json'), blobs.map(blob => JSON.stringify(blob)).join('\n'));
  return dir;
}

test('versions show the creation dates of their bundles', async ({ page }) => {
  await openFolder(page, dated());
  await choosePackage(page, 'dated');

  await test.step('in the inspector and on the card', async () => {
    await entry(page, 'dated.v1.2.0', 'stable').hover();
    await expect(page.getByRole('group', { name: 'Why', exact: true }).filter({ hasText: 'dated.v1.2.0' })).toContainText('Created 2024-05-22');
    await entry(page, 'dated.v1.2.0', 'stable').click();
    await expect(inspector(page)).toContainText('2024-05-22T12:57:44Z');
    await entry(page, 'dated.v1.1.0', 'stable').click();
    await expect(inspector(page), 'unchanged').toContainText('some day in May');
    await entry(page, 'dated.v1.0.0', 'stable').click();
    await expect(inspector(page).getByRole('heading', { name: 'dated.v1.0.0' })).toBeVisible();
    await expect(inspector(page)).not.toContainText('Created');
  });
});
