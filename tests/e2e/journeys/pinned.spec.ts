// Lanes that are pinned: they stand first and stay in view while the others are scrolled.
import { catalogOf, inAChain } from '../catalogs';
import type { Entry } from '../catalogs';
import { accessible, choosePackage, entry, expect, graph, openFolder, test } from '../harness';
import type { Locator, Page } from '@playwright/test';

const bundle = (version: string) => `capstan-operator.v${version}`;
const lanes = (page: Page) => graph(page).getByRole('button', { name: /^Channel / });
const lane = (page: Page, channel: string) => graph(page).getByRole('button', { name: new RegExp(`^Channel ${channel}(,|$)`) });

/// More channels than have room in a window: `line-20` to `line-1`, each with one version more than the next.
function capstan(): string {
  const versions = Array.from({ length: 21 }, (_, at) => `1.${at}.0`);
  const channels: Record<string, Entry[]> = { 'line-20': inAChain(versions) };
  for (let line = 19; line > 0; line--) channels[`line-${line}`] = inAChain(versions.slice(0, line + 1));
  return catalogOf('quay-side', 'capstan-operator', 'quay.io/quay-side/capstan-bundle', channels);
}

async function open(page: Page): Promise<void> {
  test.slow();
  await openFolder(page, capstan());
  await choosePackage(page, 'capstan-operator');
  await expect(lanes(page).first()).toHaveAccessibleName(/^Channel line-20/);
}

const box = async (of: Locator) => {
  const found = await of.boundingBox();
  if (!found) throw new Error('it is drawn');
  return found;
};

async function scrollDown(page: Page): Promise<void> {
  const area = await box(graph(page));
  await page.mouse.move(area.x + area.width / 2, area.y + area.height / 2);
  await page.mouse.wheel(0, 4_000);
}

test('a pinned lane stays in view, above those that are scrolled', async ({ page, violations }) => {
  await open(page);

  await test.step('by a key on its name', async () => {
    await lane(page, 'line-4').focus();
    await page.keyboard.press('Alt+p');
    await expect(lanes(page).first()).toHaveAccessibleName(/^Channel line-4, .*pinned/);
  });

  await test.step('the others go below it', async () => {
    const before = await box(lane(page, 'line-4'));
    const area = await box(graph(page));
    const bottom = async (channel: string) => { const { y, height } = await box(lane(page, channel)); return y + height; };
    expect(await bottom('line-1')).toBeGreaterThan(area.y + area.height);
    await scrollDown(page);
    await expect.poll(() => bottom('line-1')).toBeLessThan(area.y + area.height);
    expect((await box(lane(page, 'line-19'))).y).toBeLessThan(before.y);
    expect(await box(lane(page, 'line-4'))).toEqual(before);
    await accessible(page, 'a pinned lane');
  });

  await test.step('what is scrolled is behind it, and its nodes are met by the mouse', async () => {
    const node = entry(page, bundle('1.2.0'), 'line-4');
    for (let press = 0; press < 3; press++) await graph(page).getByRole('button', { name: 'Zoom out' }).click();
    await scrollDown(page);
    await node.click();
    await expect(page.getByRole('complementary', { name: 'Inspector' })).toContainText(bundle('1.2.0'));
    await expect(node).toHaveAttribute('aria-pressed', 'true');
  });

  await test.step('what is dropped on it is meant for it', async () => {
    const node = entry(page, bundle('1.5.0'), 'line-5');
    await node.scrollIntoViewIfNeeded();
    const [from, to] = [await box(node), await box(entry(page, bundle('1.4.0'), 'line-4'))];
    await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
    await page.mouse.down();
    await page.mouse.move(from.x + from.width / 2, from.y - 40, { steps: 4 });
    await page.mouse.move(from.x + from.width / 2, to.y + to.height / 2, { steps: 4 });
    await expect(page.getByRole('status', { name: 'Drag' })).toContainText(`Promote ${bundle('1.5.0')} to line-4`);
    await page.mouse.up();
    const form = page.getByRole('dialog', { name: /^Promote bundle/ });
    await expect(form.getByLabel('To channel', { exact: true })).toHaveValue('line-4');
    await form.getByRole('button', { name: 'Cancel', exact: true }).click();
  });

  await test.step('the menu lets it go', async () => {
    await lane(page, 'line-4').click({ button: 'right' });
    await page.getByRole('menuitem', { name: /^Pin or unpin the lane/ }).click();
    await expect(lanes(page).first()).not.toHaveAccessibleName(/pinned/);
  });
  expect(violations).toEqual([]);
});
