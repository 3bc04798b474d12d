// Working in the graph: dragging nodes, grips and the star, selection frames, context menus, and cards that explain
// edges.
import { catalogOf, inAChain } from '../catalogs';
import { PASSES, accessible, apply, choosePackage, entry, expect, fixture, graph, openFolder, test, useLetterKeys, verdict } from '../harness';
import type { Locator, Page } from '@playwright/test';

const bundle = (version: string) => `winch-operator.v${version}`;

/// A package with four chained entries in one channel; another channel has the newest of them and one more, which
/// skips a range.
function winch(): string {
  return catalogOf('wharf', 'winch-operator', 'quay.io/wharf/winch-bundle', {
    stable: inAChain(['1.0.0', '1.0.1', '1.1.0', '1.2.0']),
    fast: [{ version: '1.2.0' }, { version: '1.3.0', replaces: '1.2.0', skipRange: '>=1.0.0 <1.3.0' }],
  });
}

async function open(page: Page): Promise<void> {
  // With a debug build and accessibility scans this takes long.
  test.slow();
  await openFolder(page, winch());
  await choosePackage(page, 'winch-operator');
  await expect(entry(page, bundle('1.3.0'), 'fast')).toBeVisible();
}

async function center(of: Locator): Promise<{ x: number; y: number }> {
  const box = await of.boundingBox();
  if (!box) throw new Error('not in view');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/// Presses on one point and moves to another, without releasing.
async function drag(page: Page, from: { x: number; y: number }, to: { x: number; y: number }): Promise<void> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps: 4 });
  await page.mouse.move(to.x, to.y, { steps: 4 });
}

/// The grip to the left of a node, which appears on hover.
async function findGrip(page: Page, of: Locator): Promise<{ x: number; y: number }> {
  const at = await center(of);
  await page.mouse.move(at.x, at.y);
  const visibleGrips = graph(page).locator('.grip-dot');
  await expect(visibleGrips).toBeVisible();
  return center(visibleGrips);
}

const dragStatus = (page: Page): Locator => page.getByRole('status', { name: 'Drag' });

test('dragging a node to another lane shows its place and the resulting verdict', async ({ page, violations }) => {
  await open(page);
  const node = await center(entry(page, bundle('1.3.0'), 'fast').locator('.node-box'));
  const lane = await center(entry(page, bundle('1.2.0'), 'stable').locator('.node-box'));
  const ghost = graph(page).locator('.drag-ghost-box');

  await test.step('over the lane', async () => {
    await drag(page, node, { x: node.x, y: lane.y });
    await expect(dragStatus(page)).toContainText(`Promote ${bundle('1.3.0')} to stable`);
    await expect(dragStatus(page)).toContainText('✓ still passes opm validate');
    await expect(dragStatus(page)).toContainText(`replaces ${bundle('1.2.0')}`);
    await expect(ghost).toBeVisible();
    const box = await ghost.boundingBox();
    expect(Math.abs((box?.x ?? 0) + (box?.width ?? 0) / 2 - node.x)).toBeLessThan(3);
    expect(Math.abs((box?.y ?? 0) + (box?.height ?? 0) / 2 - lane.y)).toBeLessThan(3);
    await accessible(page, 'a drag');
  });

  await test.step('Escape cancels the drag', async () => {
    await page.keyboard.press('Escape');
    await expect(dragStatus(page)).toBeHidden();
    await expect(ghost).toHaveCount(0);
    await page.mouse.up();
    await expect(page.getByRole('dialog')).toHaveCount(0);
  });

  await test.step('a lane that lists it already refuses the drop', async () => {
    const twin = await center(entry(page, bundle('1.2.0'), 'fast'));
    await drag(page, twin, { x: twin.x, y: lane.y });
    await expect(dragStatus(page)).toHaveText(`stable already lists ${bundle('1.2.0')}`);
    await page.mouse.up();
    await expect(page.getByRole('dialog')).toHaveCount(0);
  });

  await test.step('a drop opens the filled-in form', async () => {
    await drag(page, node, { x: node.x, y: lane.y });
    await expect(dragStatus(page)).toContainText('✓ still passes opm validate');
    await page.mouse.up();
    const form = page.getByRole('dialog', { name: /^Promote bundle/ });
    await expect(form.getByLabel('To channel', { exact: true })).toHaveValue('stable');
    await apply(form);
    await expect(entry(page, bundle('1.3.0'), 'stable')).toHaveAccessibleName(/head/);
    await expect(verdict(page)).toHaveText(PASSES);
  });
  expect(violations).toEqual([]);
});

test('dragging a grip to a node sets replaces, with Shift or Alt skips', async ({ page }) => {
  await useLetterKeys(page);
  await open(page);
  const node = (version: string) => entry(page, bundle(version), 'stable');

  await test.step('a failing result is shown before the drop', async () => {
    await drag(page, await findGrip(page, node('1.2.0')), await center(node('1.0.0')));
    await expect(dragStatus(page)).toContainText(`${bundle('1.2.0')} replaces ${bundle('1.0.0')}`);
    await expect(dragStatus(page)).toContainText('✗ fails opm validate now: 2 heads in stable');
    await page.keyboard.down('Shift');
    await expect(dragStatus(page)).toContainText(`${bundle('1.2.0')} skips ${bundle('1.0.0')}`);
    await expect(dragStatus(page)).toContainText('✓ still passes opm validate');
    await page.keyboard.up('Shift');
    await expect(dragStatus(page)).toContainText('✗ fails opm validate now');
    await page.keyboard.press('Escape');
    await page.mouse.up();
    await expect(page.getByRole('dialog')).toHaveCount(0);
  });

  await test.step('with Alt, the entry skips', async () => {
    await page.keyboard.down('Alt');
    await drag(page, await findGrip(page, node('1.2.0')), await center(node('1.0.0')));
    await expect(dragStatus(page)).toContainText('skips');
    await page.mouse.up();
    await page.keyboard.up('Alt');
    const form = page.getByRole('dialog', { name: /^Add skip/ });
    await expect(form.getByLabel('Skip', { exact: true })).toHaveValue(bundle('1.0.0'));
    await apply(form);
    await expect(node('1.0.0')).toHaveAccessibleName(/skipped/);
  });

  await test.step('without modifiers, the entry replaces', async () => {
    await drag(page, await findGrip(page, node('1.2.0')), await center(node('1.0.0')));
    await expect(dragStatus(page)).toContainText(`replaces ${bundle('1.0.0')}`);
    await page.mouse.up();
    const form = page.getByRole('dialog', { name: /^Set replaces/ });
    await expect(form.getByLabel('Replaces', { exact: true })).toHaveValue(bundle('1.0.0'));
    await page.keyboard.press('Escape');
    await expect(form).toBeHidden();
  });

  await test.step('an edge stays in its channel', async () => {
    await drag(page, await findGrip(page, node('1.2.0')), await center(entry(page, bundle('1.3.0'), 'fast')));
    await expect(dragStatus(page)).toHaveText('Edges stay within one channel: stable');
    await page.mouse.up();
  });

  await test.step('the keyboard does the same', async () => {
    await node('1.2.0').focus();
    await page.keyboard.press('Enter');
    await expect(node('1.2.0')).toHaveAttribute('aria-pressed', 'true');
    await page.keyboard.press('r');
    const form = page.getByRole('dialog', { name: /^Set replaces/ });
    await expect(form.getByLabel('Entry', { exact: true })).toHaveValue(bundle('1.2.0'));
    await page.keyboard.press('Escape');
    await expect(form).toBeHidden();
    // A letter means the same on an entry as in its menu.
    await page.keyboard.press('s');
    const skip = page.getByRole('dialog', { name: /^Add skip/ });
    await expect(skip.getByLabel('Entry', { exact: true })).toHaveValue(bundle('1.2.0'));
    await page.keyboard.press('Escape');
    await expect(skip).toBeHidden();
    await page.keyboard.press('u');
    await expect(page.getByRole('tab', { name: 'Source' })).toHaveAttribute('aria-selected', 'true');
  });
});

test('dragging the star to another lane sets the default channel', async ({ page }) => {
  await useLetterKeys(page);
  await open(page);
  const star = graph(page).locator('[data-star]');
  await drag(page, await center(star), await center(entry(page, bundle('1.2.0'), 'fast')));
  await expect(dragStatus(page)).toContainText('fast becomes the default channel');
  await expect(dragStatus(page)).toContainText('✓ still passes opm validate');
  await page.mouse.up();
  const form = page.getByRole('dialog', { name: /^Set default channel/ });
  await expect(form.getByLabel('Channel', { exact: true })).toHaveValue('fast');
  await apply(form);
  await expect(graph(page).getByRole('button', { name: /^Channel fast, default channel/ })).toBeVisible();

  await test.step('the keyboard does the same', async () => {
    await graph(page).getByRole('button', { name: /^Channel stable/ }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('d');
    await expect(form.getByLabel('Channel', { exact: true })).toHaveValue('stable');
    await apply(form);
    await expect(graph(page).getByRole('button', { name: /^Channel stable, default channel/ })).toBeVisible();
  });
});

test('a frame drawn with Shift selects the entries that it touches', async ({ page }) => {
  await open(page);
  const [first, last] = [await center(entry(page, bundle('1.1.0'), 'stable').locator('.node-box')), await center(entry(page, bundle('1.2.0'), 'fast'))];
  const selected = page.getByRole('status', { name: 'Selected' });
  await page.keyboard.down('Shift');
  await drag(page, { x: first.x - 30, y: first.y - 22 }, last);
  await expect(graph(page).locator('.drag-frame')).toBeVisible();
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await expect(selected).toHaveText('3 entries selected: 2 bundles in 2 channels');

  await test.step('Escape keeps the previous selection', async () => {
    await page.keyboard.down('Shift');
    await drag(page, { x: first.x - 30, y: first.y - 22 }, { x: first.x - 28, y: last.y });
    await page.keyboard.press('Escape');
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await expect(selected).toHaveText('3 entries selected: 2 bundles in 2 channels');
  });
});

test('a card explains an edge, and a click on the edge shows its line', async ({ page }) => {
  await open(page);
  const card = page.getByRole('group', { name: 'Why', exact: true });
  const node = entry(page, bundle('1.3.0'), 'fast');

  await test.step('by mouse, on an edge', async () => {
    const edge = graph(page).locator('.bracket .edge-hit');
    await edge.dispatchEvent('pointerover', { pointerType: 'mouse' });
    await expect(card).toContainText('skipRange >=1.0.0 <1.3.0 of 1.3.0 in fast, line 25');
    await accessible(page, 'the card of an edge');
    await edge.dispatchEvent('click');
    await expect(page.getByRole('tab', { name: 'Source' })).toHaveAttribute('aria-selected', 'true');
    await page.getByRole('tab', { name: 'Graph' }).click();
  });

  await test.step('on a node, and the pointer can enter the card', async () => {
    await node.hover();
    await expect(card).toContainText('1.3.0 replaces 1.2.0 in fast, line 24');
    const line = card.getByRole('button', { name: /^1\.3\.0 replaces 1\.2\.0 in fast, line 24/ });
    const at = await center(line);
    await page.mouse.move(at.x, at.y, { steps: 5 });
    await line.click();
    await expect(page.getByRole('tab', { name: 'Source' })).toHaveAttribute('aria-selected', 'true');
    await page.getByRole('tab', { name: 'Graph' }).click();
  });

  await test.step('by keyboard: the node has a description, Escape closes only the card', async () => {
    await entry(page, bundle('1.1.0'), 'stable').click();
    await expect(entry(page, bundle('1.1.0'), 'stable')).toHaveAttribute('aria-pressed', 'true');
    await entry(page, bundle('1.0.1'), 'stable').focus();
    await page.keyboard.press('ArrowRight');
    await expect(entry(page, bundle('1.1.0'), 'stable')).toBeFocused();
    await expect(entry(page, bundle('1.1.0'), 'stable')).toHaveAccessibleDescription(
      '1.1.0 replaces 1.0.1 in stable, line 14; 1.2.0 replaces 1.1.0 in stable, line 16');
    await expect(card).toContainText('1.1.0 replaces 1.0.1');
    await page.keyboard.press('Escape');
    await expect(card).toHaveCount(0);
    await expect(entry(page, bundle('1.1.0'), 'stable')).toHaveAttribute('aria-pressed', 'true');
  });
});

test('a double click on a node shows its source', async ({ page }) => {
  await open(page);
  await entry(page, bundle('1.1.0'), 'stable').dblclick();
  await expect(page.getByRole('tab', { name: 'Source' })).toHaveAttribute('aria-selected', 'true');
});

test('everything in the graph has a menu, for mouse and keyboard', async ({ page }) => {
  await open(page);
  const menu = (name: string | RegExp) => page.getByRole('menu', { name, exact: true });
  const escape = async (of: Locator) => { await page.keyboard.press('Escape'); await expect(of).toHaveCount(0); };

  await test.step('an edge', async () => {
    const edge = graph(page).locator('.bracket .edge-hit');
    await edge.dispatchEvent('contextmenu', { clientX: 600, clientY: 300 });
    const rangeMenu = menu(`skipRange of ${bundle('1.3.0')} in fast`);
    await expect(rangeMenu.getByRole('menuitem')).toHaveText(['Show line 25 in source', /^Set skip range…/]);
    await accessible(page, 'the menu of an edge');
    await rangeMenu.getByRole('menuitem', { name: /^Set skip range/ }).click();
    const form = page.getByRole('dialog', { name: /^Set skip range/ });
    await expect(form.getByLabel('Entry', { exact: true })).toHaveValue(bundle('1.3.0'));
    await page.keyboard.press('Escape');
    await expect(form).toBeHidden();
  });

  await test.step('a version above its column: the menu of the bundle, for all channels', async () => {
    await graph(page).locator('.column-label[data-column$="v1.2.0"]').click({ button: 'right' });
    await menu(bundle('1.2.0')).getByRole('menuitem', { name: 'Select its entries' }).click();
    await expect(page.getByRole('status', { name: 'Selected' })).toHaveText('2 entries selected: 1 bundle in 2 channels');
    await page.getByRole('button', { name: 'Clear selection' }).click();
  });

  await test.step('the background: the menu of the package', async () => {
    const box = await graph(page).locator('.graph-area').boundingBox();
    if (!box) throw new Error('the graph is not in view');
    await page.mouse.click(box.x + box.width - 30, box.y + box.height - 20, { button: 'right' });
    await expect(menu('winch-operator').getByRole('menuitem', { name: /^Set default channel/ })).toBeVisible();
    await escape(menu('winch-operator'));
  });

  await test.step('a lane, by keyboard', async () => {
    await graph(page).getByRole('button', { name: /^Channel fast/ }).focus();
    await page.keyboard.press('Shift+F10');
    await expect(menu('fast').getByRole('menuitem').first()).toBeFocused();
    await escape(menu('fast'));
  });

  await test.step('a node, by keyboard', async () => {
    await entry(page, bundle('1.0.1'), 'stable').focus();
    await page.keyboard.press('Shift+F10');
    await menu(`${bundle('1.0.1')} in stable`).getByRole('menuitem', { name: /^Add skip/ }).press('Enter');
    const form = page.getByRole('dialog', { name: /^Add skip/ });
    await expect(form.getByLabel('Entry', { exact: true })).toHaveValue(bundle('1.0.1'));
  });
});

test('the inspector edits in place: Enter applies, Escape reverts', async ({ page }) => {
  await open(page);
  const fields = page.getByRole('region', { name: 'Edit in place' });
  const history = page.getByRole('list', { name: 'History' });
  await entry(page, bundle('1.2.0'), 'stable').click();

  await test.step('Escape reverts the typed text', async () => {
    const replaces = fields.getByLabel('Replaces', { exact: true });
    await expect(replaces).toHaveValue(bundle('1.1.0'));
    await replaces.fill(bundle('1.0.1'));
    await expect(fields).toContainText('fails opm validate now');
    await accessible(page, 'a field in place');
    await replaces.press('Escape');
    await expect(replaces).toHaveValue(bundle('1.1.0'));
    await expect(history).not.toContainText('Set replaces');
  });

  await test.step('a range shows its matches and is applied as one step', async () => {
    const range = fields.getByLabel('Skip range', { exact: true });
    await range.fill('>=1.0.0 <1.2.0');
    await expect(fields).toContainText('Matches 3 of');
    await range.fill('>=1.0.0 <1.x9');
    await expect(fields).toContainText('Cannot be done');
    await expect(fields.locator('.catches .field-error')).toHaveCount(1);
    await expect(fields.locator('.catches .field-error'), 'the refusal says it').toBeHidden();
    await range.fill('>=1.0.0 <1.2.0');
    await expect(fields).toContainText('Matches 3 of');
    await range.press('Enter');
    await expect(history).toContainText(`Set skip range of ${bundle('1.2.0')} in stable`);
    await expect(range).toHaveValue('>=1.0.0 <1.2.0');
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await expect(range).toHaveValue('');
  });

  await test.step('a button beside the field applies it too', async () => {
    const message = fields.getByLabel('Deprecation', { exact: true });
    await message.fill('Use a newer one.');
    await message.press('Escape');
    await expect(message, 'Escape does not discard a message').toHaveValue('Use a newer one.');
    await expect(fields.getByRole('button', { name: 'Apply' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(history).toContainText('Deprecate');
    await expect(fields.getByRole('button', { name: 'Apply' })).toHaveCount(0);
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await expect(message).toHaveValue('');
  });

  await test.step('an invalid value shows the reason beside the field', async () => {
    await graph(page).getByRole('button', { name: /^Channel fast/ }).click();
    const name = fields.getByLabel('Channel name', { exact: true });
    await expect(name).toHaveValue('fast');
    await name.fill('');
    await name.press('Enter');
    await expect(name).toHaveAttribute('aria-invalid', 'true');
    await expect(fields).toContainText('A name is needed');
    await name.press('Escape');
    await expect(name).toHaveValue('fast');
    // Enter pressed twice before the answer makes one step.
    await name.fill('quick');
    await name.evaluate(input => {
      for (let press = 0; press < 2; press++) input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
    });
    await expect(graph(page).getByRole('button', { name: /^Channel quick/ })).toBeVisible();
    await expect(history.getByText(/quick/)).toHaveCount(1);
    await expect(fields.locator('[data-tone="bad"]')).toHaveCount(0);
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await expect(graph(page).getByRole('button', { name: /^Channel fast/ })).toBeVisible();
    await entry(page, bundle('1.2.0'), 'stable').click();
  });

  await test.step('a message is shown as users would see it, and is kept until applied', async () => {
    const message = fields.getByLabel('Deprecation', { exact: true });
    await expect(fields.getByRole('button', { name: 'Apply: Deprecation' })).toHaveCount(0);
    await message.fill('Move to');
    await message.press('Enter');
    await message.pressSequentially('1.3.0.');
    await expect(message).toHaveValue('Move to\n1.3.0.');
    await expect(fields.getByRole('region', { name: 'What users would see' })).toContainText('BundleDeprecated');
    await accessible(page, 'a message in place');
    await entry(page, bundle('1.1.0'), 'stable').click();
    await expect(message).toHaveValue('');
    await expect(page.getByRole('log', { name: 'Messages' })).toContainText('Deprecation is not applied');
    await entry(page, bundle('1.2.0'), 'stable').click();
    await expect(message).toHaveValue('Move to\n1.3.0.');
    await expect(entry(page, bundle('1.2.0'), 'stable')).not.toHaveAccessibleName(/deprecated/);
    await fields.getByRole('button', { name: 'Cancel: Deprecation' }).click();
    await expect(message).toHaveValue('');
    await message.fill('Move to 1.3.0.');
    await message.press('Control+Enter');
    await expect(fields.getByRole('button', { name: 'Apply: Deprecation' })).toHaveCount(0);
    await expect(entry(page, bundle('1.2.0'), 'stable')).toHaveAccessibleName(/deprecated/);
  });
});

test('text typed for a package is kept while another is selected', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  const message = page.getByRole('region', { name: 'Edit in place' }).getByLabel('Deprecation', { exact: true });
  const [first, second] = ['anchor-operator', 'crane-operator'];
  await choosePackage(page, first);
  await message.fill('Move to another harbor.');
  await choosePackage(page, second);
  await expect(page.getByRole('log', { name: 'Messages' })).toContainText('Deprecation is not applied');
  await expect(message).toHaveValue('');
  await expect(page.getByRole('button', { name: 'Apply: Deprecation' })).toHaveCount(0);
  await choosePackage(page, first);
  await expect(message).toHaveValue('Move to another harbor.');
});
