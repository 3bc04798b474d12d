// The selection is visible in the graph and described in the inspector; Back and Forward visit earlier selections.
import type { Locator, Page } from '@playwright/test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { accessible, apply, choosePackage, command, entry, expect, field, graph, openFolder, packageItem, test } from '../harness';

const inspector = (page: Page) => page.getByRole('complementary', { name: 'Inspector' });
const title = (page: Page) => inspector(page).getByRole('heading', { level: 2 });
const lane = (page: Page, channel: string) => graph(page).getByRole('button', { name: new RegExp(`^Channel ${channel.replace('.', '\\.')}(,|$)`) });
const bundle = (version: string) => `winch-operator.v${version}`;
const button = (page: Page, name: string) => inspector(page).getByRole('button', { name, exact: true });

const blob = (value: object) => `${JSON.stringify(value)}\n`;

function bundleBlob(name: string, packageName: string, version: string, required: object[] = []): string {
  const properties = [{ type: 'olm.package', value: { packageName, version } }, ...required.map(value => ({ type: 'olm.package.required', value }))];
  return blob({ schema: 'olm.bundle', name, package: packageName, image: `quay.io/winch/${packageName}:${version}`, properties });
}

function channelBlob(name: string, versions: string[]): string {
  const entries = versions.map((version, index) => ({ name: bundle(version), ...(index > 0 ? { replaces: bundle(versions[index - 1] ?? '') } : {}) }));
  return blob({ schema: 'olm.channel', name, package: 'winch-operator', entries });
}

/// A catalog with a package large enough to fold old y-streams, with a channel for each, and a package that requires
/// it.
function winch(): string {
  const dir = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-winch-')), 'winch');
  fs.mkdirSync(dir);
  const streams = Array.from({ length: 12 }, (_, minor) => Array.from({ length: 5 }, (_, patch) => `1.${minor}.${patch}`));
  const text = blob({ schema: 'olm.package', name: 'winch-operator', defaultChannel: 'stable' })
    + channelBlob('stable', streams.flat())
    + streams.map((versions, minor) => channelBlob(`stable-1.${minor}`, versions)).join('')
    + streams.flat().map(version => bundleBlob(bundle(version), 'winch-operator', version)).join('');
  fs.writeFileSync(path.join(dir, 'winch.json'), text);
  fs.writeFileSync(path.join(dir, 'crane.json'), blob({ schema: 'olm.package', name: 'crane-operator', defaultChannel: 'alpha' })
    + blob({ schema: 'olm.channel', name: 'alpha', package: 'crane-operator', entries: [{ name: 'crane-operator.v2.0.0' }] })
    + bundleBlob('crane-operator.v2.0.0', 'crane-operator', '2.0.0', [{ packageName: 'winch-operator', versionRange: '1.3.x' }]));
  return dir;
}

async function find(page: Page, text: string, option: RegExp): Promise<void> {
  await page.keyboard.press('ControlOrMeta+k');
  const palette = page.getByRole('dialog', { name: 'Command palette' });
  await palette.getByRole('combobox').fill(text);
  await palette.getByRole('option', { name: option }).first().click();
  await expect(palette).toBeHidden();
}

async function expectSelected(what: Locator): Promise<void> {
  await expect(what).toHaveAttribute('aria-pressed', 'true');
  await expect(what).toBeInViewport({ ratio: 0.9 });
}

test('the selection becomes visible in the graph, wherever it was hidden', async ({ page }) => {
  await openFolder(page, winch());
  await choosePackage(page, 'winch-operator');
  const old = entry(page, bundle('1.1.3'), 'stable-1.1');
  await expect(old, 'its y-stream is folded').toHaveCount(0);

  await test.step('an entry in a folded stack, from the search', async () => {
    await find(page, 'v1.1.3', /winch-operator\.v1\.1\.3/);
    await expectSelected(graph(page).locator('.node.selected').first());
    await expect(title(page)).toHaveText(bundle('1.1.3'));
  });

  await test.step('by keyboard, without a tooltip that nobody asked for', async () => {
    await page.keyboard.press('ControlOrMeta+k');
    const palette = page.getByRole('dialog', { name: 'Command palette' });
    await palette.getByRole('combobox').fill(bundle('1.1.3'));
    await expect(palette.getByRole('option', { name: bundle('1.1.3') }).first()).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(palette).toBeHidden();
    await expect(graph(page).locator('.node.selected').first()).toBeFocused();
    await page.waitForTimeout(700);
    await expect(page.locator('.why-card')).toHaveCount(0);
    await expect(page.locator('.focus-tip')).toBeHidden();
  });

  await test.step('a channel, from the chips', async () => {
    await button(page, 'stable-1.1').click();
    await expectSelected(lane(page, 'stable-1.1'));
    await expect(graph(page).locator('.lane-heading.lane-selected')).toHaveCount(1);
    await accessible(page, 'a selected channel');
  });

  await test.step('a channel whose lane is hidden', async () => {
    await lane(page, 'stable-1.1').press('Alt+Delete');
    await expect(lane(page, 'stable-1.1'), 'hiding the lane keeps the selection').toHaveCount(0);
    await button(page, 'winch-operator').click();
    await inspector(page).getByText('more channels').click();
    await button(page, 'stable-1.1').click();
    await expectSelected(lane(page, 'stable-1.1'));
  });

  await test.step('the head that a folded stack names', async () => {
    await graph(page).getByRole('button', { name: /^5 entries of 1\.4 in stable-1\.4/ }).press('Enter');
    await expectSelected(entry(page, bundle('1.4.4'), 'stable-1.4'));
    await expect(title(page)).toHaveText(bundle('1.4.4'));
  });
});

test('the inspector shows the path for the selected channel', async ({ page }) => {
  await openFolder(page, winch());
  await choosePackage(page, 'winch-operator');
  await find(page, 'stable-1.3', /stable-1\.3/);
  await expect(title(page)).toHaveText('stable-1.3');
  const answer = inspector(page).getByRole('region', { name: /^Upgrade path from / });
  await expect(answer).toContainText('channel stable-1.3');
  await expect(answer).toContainText('1.3.4');
  await graph(page).getByRole('button', { name: /^Open 1\.3,/ }).click();
  await entry(page, bundle('1.3.2'), 'stable-1.3').click();
  await expect(answer).toContainText('channel stable-1.3');
  const steps = inspector(page).getByRole('list', { name: 'Path under Classic (v0)' }).getByRole('listitem');
  await expect(steps.last()).toContainText(bundle('1.3.4'));
  // Its lane may be scrolled out of view.
  await entry(page, bundle('1.3.2'), 'stable').focus();
  await page.keyboard.press('Enter');
  await expect(steps.last()).toContainText(bundle('1.11.4'));
});

test('the parts of the path select their item, and Escape selects the parent', async ({ page }) => {
  await openFolder(page, winch());
  await choosePackage(page, 'winch-operator');
  const head = entry(page, bundle('1.11.4'), 'stable');
  await head.click();
  await button(page, 'stable').first().click();
  await expect(title(page)).toHaveText('stable');
  await button(page, 'winch-operator').click();
  await expect(title(page)).toHaveText('winch-operator');
  await button(page, 'winch').click();
  await expect(page.getByRole('list', { name: 'Catalogs' }).getByRole('listitem').getByRole('button')).toBeFocused();

  await head.click();
  await page.keyboard.press('Escape');
  await expect(title(page)).toHaveText('stable');
  await page.keyboard.press('Escape');
  await expect(title(page)).toHaveText('winch-operator');

  await head.click();
  await packageItem(page, 'winch-operator').getByRole('button').click();
  await expect(title(page), 'its row selects the current package').toHaveText('winch-operator');
});

test('Back and Forward visit earlier selections', async ({ page }) => {
  await openFolder(page, winch());
  await choosePackage(page, 'winch-operator');
  const [back, forward] = [button(page, 'Back'), button(page, 'Forward')];
  await entry(page, bundle('1.11.4'), 'stable').click();
  await entry(page, bundle('1.11.3'), 'stable').click();
  await button(page, 'stable').first().click();
  await expect(forward).toBeDisabled();
  await back.click();
  await expectSelected(entry(page, bundle('1.11.3'), 'stable'));
  await page.keyboard.press('Alt+ArrowLeft');
  await expectSelected(entry(page, bundle('1.11.4'), 'stable'));
  await page.keyboard.press('Alt+ArrowRight');
  await expectSelected(entry(page, bundle('1.11.3'), 'stable'));
  await page.goBack();
  await expectSelected(entry(page, bundle('1.11.4'), 'stable'));

  await test.step('removed items are skipped', async () => {
    await forward.click();
    await expect(title(page)).toHaveText(bundle('1.11.3'));
    const form = await command(page, 'Remove entry…');
    await apply(form);
    await expect(title(page)).toHaveText(bundle('1.11.4'));
    await button(page, 'stable').first().click();
    await expect(title(page)).toHaveText('stable');
    await back.click();
    await back.click();
    await expect(title(page), 'v1.11.3 is skipped').toHaveText(bundle('1.11.4'));
  });

  await test.step('back to the first one', async () => {
    while (await back.isEnabled()) {
      await back.click();
      await page.waitForTimeout(300);
    }
    await expect(forward).toBeEnabled();
  });
});

test('after a removal the nearest item is selected, and undo selects the restored one', async ({ page }) => {
  await openFolder(page, winch());
  await choosePackage(page, 'winch-operator');
  await entry(page, bundle('1.11.3'), 'stable').click();
  await apply(await command(page, 'Remove entry…'));
  await expectSelected(entry(page, bundle('1.11.4'), 'stable'));
  await page.keyboard.press('ControlOrMeta+z');
  await expectSelected(entry(page, bundle('1.11.3'), 'stable'));

  await lane(page, 'stable-1.11').click();
  const form = await command(page, 'Remove channel…');
  await field(form, 'Channel', 'stable-1.11');
  await apply(form);
  await expect(title(page)).toHaveText('winch-operator');
  await page.keyboard.press('ControlOrMeta+z');
  await expect(title(page)).toHaveText('stable-1.11');
});

test('the bundle that meets a requirement is a link', async ({ page }) => {
  await openFolder(page, winch());
  await choosePackage(page, 'crane-operator');
  await entry(page, 'crane-operator.v2.0.0', 'alpha').click();
  await button(page, bundle('1.3.4')).click();
  await expect(graph(page)).toHaveAccessibleName('Upgrade graph of winch-operator');
  await expect(title(page)).toHaveText(bundle('1.3.4'));
  await expectSelected(graph(page).locator('.node.selected').first());
  await button(page, 'Back').click();
  await expect(title(page)).toHaveText('crane-operator.v2.0.0');
});

test('deprecating in the inspector shows the graph if the source does not show the change', async ({ page }) => {
  await openFolder(page, winch());
  await choosePackage(page, 'winch-operator');
  await lane(page, 'stable').click();
  await page.getByRole('tab', { name: 'Source' }).click();
  const message = inspector(page).getByRole('textbox', { name: 'Deprecation' });
  await message.fill('Move.');
  await message.press('ControlOrMeta+Enter');
  await expect(page.getByRole('button', { name: 'Undo' }).first()).toBeEnabled();
  await expect(page.getByRole('tab', { name: 'Source' }), 'the source shows the change').toHaveAttribute('aria-selected', 'true');
  await page.getByRole('tab', { name: 'Table' }).click();
  await message.fill('Move on.');
  await message.press('ControlOrMeta+Enter');
  await expect(page.getByRole('tab', { name: 'Graph' })).toHaveAttribute('aria-selected', 'true');
  await expectSelected(lane(page, 'stable'));
  await expect(lane(page, 'stable')).toHaveAccessibleName(/deprecated/);
});
