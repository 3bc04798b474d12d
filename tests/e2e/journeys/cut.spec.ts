// No text is clipped in common states, in two window sizes; and the page has few live regions.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { inAChain, packageText } from '../catalogs';
import { clippedTexts } from '../cut';
import { apply, choosePackage, command, entry, expect, field, graph, openFolder, start, test } from '../harness';

const NAME = 'wharf-and-warehouse-operator';
const LONG = 'candidate-of-the-next-release-1.31';

/// Two catalogs of a package with long names: prereleases, skips, a range, a channel that copies another.
function wharves(): string {
  const dir = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-cut-')), 'wharves');
  const chain = inAChain(['1.28.0', '1.28.1', '1.29.0', '1.30.0', '1.30.1']);
  const channels = {
    stable: [...chain, { version: '1.31.0', replaces: '1.30.1', skips: ['1.30.0'], skipRange: '>=1.28.0 <1.31.0' }],
    'stable-1.30': chain,
    [LONG]: [
      { version: '1.31.0-nightly-2026-08-22', replaces: '1.30.1' },
      { version: '1.32.0-nightly-2026-08-29', replaces: '1.31.0-nightly-2026-08-22' },
    ],
  };
  for (const catalog of ['v4.19', 'v4.20']) {
    fs.mkdirSync(path.join(dir, catalog, NAME), { recursive: true });
    const listed = catalog === 'v4.19' ? { ...channels, stable: chain } : channels;
    fs.writeFileSync(path.join(dir, catalog, NAME, 'catalog.yaml'), packageText(NAME, 'quay.io/wharf/bundle', listed));
    fs.mkdirSync(path.join(dir, catalog, 'pier'));
    fs.writeFileSync(path.join(dir, catalog, 'pier/catalog.yaml'), packageText('pier', 'quay.io/wharf/pier', { alpha: inAChain(['0.1.0']) }));
  }
  return dir;
}

/// Soft, so that all states are checked.
const softExpect = expect.configure({ soft: true });

const SIZES = [[1440, 900], [1280, 720]] as const;

/// Expects no clipped text in any size.
async function expectNothingClipped(page: Page, state: string): Promise<void> {
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    await softExpect.poll(() => clippedTexts(page), { message: `${state} at ${width} × ${height}`, timeout: 2_000 }).toEqual([]);
  }
}

test('a long name in a form shows its end until it is edited', async ({ page, violations }) => {
  const name = 'rabbitmq-single-active-consumer-operator-for-wharves';
  const dir = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-cut-')), 'wharves');
  fs.mkdirSync(path.join(dir, name), { recursive: true });
  fs.writeFileSync(path.join(dir, name, 'catalog.yaml'), packageText(name, 'quay.io/wharf/bundle', { stable: inAChain(['1.0.0', '1.1.0']) }));
  await page.setViewportSize({ width: 1280, height: 720 });
  await openFolder(page, dir);
  await choosePackage(page, name);
  await entry(page, `${name}.v1.1.0`, 'stable').click();
  const form = await command(page, 'Set replaces…');
  const input = form.getByLabel('Entry', { exact: true });
  await expect(input).toHaveValue(`${name}.v1.1.0`);
  const visibleEnd = form.locator('.field', { has: page.getByLabel('Entry', { exact: true }) }).locator('.cut-end');
  const isEndInside = async (): Promise<boolean> => {
    const [end, box] = [await visibleEnd.boundingBox(), await input.boundingBox()];
    return end !== null && box !== null && end.width > 20 && end.x + end.width <= box.x + box.width;
  };
  await expect(visibleEnd).toHaveText(/\.v1\.1\.0$/);
  await form.getByLabel('Replaces', { exact: true }).focus();
  await expect.poll(isEndInside).toBe(true);
  await input.focus();
  await expect(visibleEnd).toBeHidden();
  expect(violations).toEqual([]);
});

test('no text is clipped', async ({ page, violations }) => {
  test.slow();
  const showTab = (name: string) => page.getByRole('tab', { name, exact: true }).click();
  await start(page);
  await expectNothingClipped(page, 'the start page');

  await openFolder(page, wharves());
  await page.getByRole('list', { name: 'Catalogs' }).getByRole('listitem', { name: /^v4.20/ }).getByRole('button').first().click();
  await choosePackage(page, NAME);
  await expect(entry(page, `${NAME}.v1.31.0`, 'stable')).toBeVisible();

  await test.step('the check finds clipped text', async () => {
    const count = page.getByRole('contentinfo').getByRole('button', { name: /errors? · / });
    await count.evaluate(element => { element.style.cssText = 'width: 30px; overflow: hidden; white-space: nowrap'; element.removeAttribute('title'); });
    const text = await count.innerText();
    const button = 'workbench > status > status-button';
    expect(await clippedTexts(page)).toEqual([
      `${button}: “${text}” extends beyond the window`,
      `${button}: “${text}” is clipped by ${button}`,
    ]);
    await count.evaluate(element => { element.style.cssText = ''; });
  });

  await expectNothingClipped(page, 'a graph');
  const live = page.locator('[role=status], [role=alert], [role=log], [aria-live]');
  expect(await live.count(), 'messages use the existing live regions').toBeLessThanOrEqual(8);

  await entry(page, `${NAME}.v1.31.0`, 'stable').click();
  await expectNothingClipped(page, 'an entry');
  await showTab('Table');
  await expectNothingClipped(page, 'the table');
  await showTab('Upgrade map');
  await expectNothingClipped(page, 'the upgrade map');
  await showTab('Source');
  await expectNothingClipped(page, 'the source');
  await showTab('Compare');
  await expectNothingClipped(page, 'a comparison without another catalog');
  await showTab('Graph');

  const form = await command(page, 'Promote bundle…');
  await expectNothingClipped(page, 'an empty form');
  await field(form, 'To channel', 'stable-1.30');
  await expect(form.getByRole('region', { name: 'Preview' })).toContainText('1.31.0');
  await expectNothingClipped(page, 'a form with its preview');
  await apply(form);
  await expectNothingClipped(page, 'after an edit');

  const larger = page.getByRole('button', { name: 'Make problems larger' });
  if (await larger.isVisible()) {
    await larger.click();
    await expectNothingClipped(page, 'the problems');
    await page.getByRole('button', { name: 'Make problems smaller' }).click();
  }
  await page.getByRole('button', { name: /^Subscription to/ }).click();
  await expectNothingClipped(page, 'the question');
  await page.getByLabel('Installed', { exact: true }).first().fill('1.28.1');
  await page.keyboard.press('Enter');
  await expect(graph(page).locator('.route')).not.toHaveCount(0);
  await expectNothingClipped(page, 'a path');
  await page.getByRole('radio', { name: 'OLM v1' }).or(page.getByRole('button', { name: 'OLM v1' })).first().click();
  await expectNothingClipped(page, 'the question under the other lens');

  await showTab('Compare');
  await page.getByLabel('Users come from').selectOption({ label: 'what is on disk' });
  await expect(page.getByText('1 changed, 0 added, 0 gone')).toBeVisible();
  await expectNothingClipped(page, 'a comparison');
  await page.getByText('Versions by catalog').click();
  await expectNothingClipped(page, 'versions by catalog');

  await page.getByRole('button', { name: /^Review and save/ }).click();
  await expect(page.getByRole('dialog', { name: 'Review changes' })).toBeVisible();
  await expectNothingClipped(page, 'the review');
  expect(violations).toEqual([]);
});
