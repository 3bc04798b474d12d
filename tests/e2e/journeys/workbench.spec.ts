// The frame of the workbench: panels that are resized, hidden and remembered, and windows from a phone to 4K.
import type { Locator, Page } from '@playwright/test';
import { accessible, choosePackage, entry, expect, fixture, graph, openFolder, packageItem, setRange, test, useLetterKeys } from '../harness';

const splitter = (page: Page, name: string): Locator => page.getByRole('separator', { name });
const packages = (page: Page): Locator => page.getByRole('navigation', { name: 'Catalogs and packages' });
const inspector = (page: Page): Locator => page.getByRole('complementary', { name: 'Inspector' });
const problems = (page: Page): Locator => page.getByRole('region', { name: 'Problems' });
const height = async (place: Locator): Promise<number> => (await place.boundingBox())?.height ?? 0;
const width = async (place: Locator): Promise<number> => (await place.boundingBox())?.width ?? 0;

async function drag(page: Page, line: Locator, right: number, down: number): Promise<void> {
  const box = await line.boundingBox();
  if (!box) throw new Error('the line is not visible');
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + right / 2, y + down / 2);
  await page.mouse.move(x + right, y + down);
}

// Expects that no content exceeds the window, which does not scroll.
async function expectNoOverflow(page: Page): Promise<void> {
  const over = await page.evaluate(() => [document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]);
  expect(over).toEqual([0, 0]);
}

test('panels are resized by pointer, hidden, shown and remembered', async ({ page, violations }) => {
  const dir = fixture('forked');
  await openFolder(page, dir);
  const side = splitter(page, 'Width of packages');
  await expect(side).toHaveAttribute('aria-valuenow', '244');

  await drag(page, side, 60, 0);
  await expect(side).toHaveAttribute('aria-valuenow', '304');
  await page.keyboard.press('Escape');
  await expect(side, 'Escape cancels a drag').toHaveAttribute('aria-valuenow', '244');
  await page.mouse.up();
  await drag(page, side, 60, 0);
  await page.mouse.up();
  await expect.poll(() => width(packages(page))).toBe(304);

  const right = splitter(page, 'Width of the inspector');
  await drag(page, right, 300, 0);
  await page.mouse.up();
  await expect(inspector(page)).toBeHidden();
  await expect(right).toHaveAttribute('aria-valuetext', 'hidden');

  const below = splitter(page, 'Height of problems');
  await drag(page, below, 0, -300);
  await page.mouse.up();
  await expect(below).toHaveAttribute('aria-valuenow', '300');

  await openFolder(page, dir);
  await expect(side).toHaveAttribute('aria-valuenow', '304');
  await expect(below).toHaveAttribute('aria-valuenow', '300');
  await expect(inspector(page)).toBeHidden();
  await right.click();
  await expect(inspector(page)).toBeVisible();
  await side.dblclick();
  await expect(side).toHaveAttribute('aria-valuenow', '244');
  await expect.poll(() => width(packages(page))).toBe(244);
  expect(violations).toEqual([]);
});

test('panels are resized with the keyboard only', async ({ page }) => {
  await useLetterKeys(page);
  await openFolder(page, fixture('harbor'));
  const side = splitter(page, 'Width of packages');
  await side.focus();
  await page.keyboard.press('ArrowRight');
  await expect(side).toHaveAttribute('aria-valuenow', '260');
  await page.keyboard.press('Shift+ArrowRight');
  await expect(side).toHaveAttribute('aria-valuenow', '356');
  await page.keyboard.press('Home');
  await expect(side).toHaveAttribute('aria-valuenow', '176');
  await page.keyboard.press('Enter');
  await expect(packages(page)).toBeHidden();
  await expect(side).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(packages(page)).toBeVisible();
  await page.keyboard.press('End');
  await expect(side).toHaveAttribute('aria-valuenow', '560');

  await test.step('a key shows and hides each panel', async () => {
    await page.keyboard.press('i');
    await expect(inspector(page)).toBeHidden();
    await page.keyboard.press('i');
    await expect(inspector(page)).toBeVisible();
    await page.keyboard.press('l');
    await expect(packages(page)).toBeHidden();
  });
  await test.step('another key visits them in turn', async () => {
    await page.keyboard.press('l');
    await page.getByRole('searchbox', { name: 'Search packages' }).focus();
    await page.keyboard.press('F6');
    await expect(page.locator('.centre :focus')).toHaveCount(1);
    await page.keyboard.press('Shift+F6');
    await expect(page.locator('.side :focus')).toHaveCount(1);
  });
});

test('the list of problems is one row high until it is opened', async ({ page }) => {
  await useLetterKeys(page);
  test.slow();
  await openFolder(page, fixture('forked'));
  const list = problems(page);
  await choosePackage(page, 'buoy-operator');
  // The current package has none, as the row says.
  await expect(list.getByText(/^No problems in [^;]+; 1 other package has some$/)).toBeInViewport();
  await choosePackage(page, 'winch-operator');
  const first = list.getByRole('listitem').first();
  await expect(first).toBeInViewport();
  expect(await height(list)).toBeLessThan(100);
  expect(await height(graph(page)), 'the lanes have enough room').toBeGreaterThan(560);
  await page.keyboard.press('j');
  await expect.poll(() => height(list)).toBeGreaterThan(200);
  await expect(list.getByRole('heading', { name: /^winch-operator/ })).toBeVisible();
  await page.getByRole('button', { name: 'Make problems smaller' }).click();
  await expect.poll(() => height(list)).toBeLessThan(100);
  await accessible(page, 'one row of problems');
  await first.locator('[aria-expanded]').click();
  await expect.poll(() => height(list), 'an opened problem has enough room').toBeGreaterThan(200);
  await page.keyboard.press('Escape');
  await expect.poll(() => height(list)).toBeLessThan(100);
});

test('a phone can read and review', async ({ page }) => {
  test.slow();
  await page.setViewportSize({ width: 360, height: 740 });
  await openFolder(page, fixture('forked'));
  const panels = page.getByRole('navigation', { name: 'Panels' });
  const button = (name: string) => panels.getByRole('button', { name });
  await expect(packages(page)).toBeHidden();
  await expectNoOverflow(page);
  await accessible(page, 'a phone');

  await button('Packages').click();
  await expect(packages(page)).toBeVisible();
  await accessible(page, 'packages of a phone');
  await packageItem(page, 'winch-operator').click();
  await expect(packages(page), 'the chosen package is shown').toBeHidden();
  await expect(graph(page)).toBeVisible();

  await button('Inspector').click();
  await expect(inspector(page)).toBeVisible();
  await expectNoOverflow(page);
  await page.keyboard.press('Escape');
  await expect(inspector(page)).toBeHidden();
  await expect(button('Inspector')).toBeFocused();

  await button('Problems').click();
  await expect(button('Problems')).toHaveAttribute('aria-expanded', 'true');
  await expect(problems(page).getByRole('listitem').first()).toBeInViewport();
  await accessible(page, 'problems of a phone');
  await button('Problems').click();
  await expect(problems(page)).toBeHidden();
  await page.keyboard.press('F8');
  await expect(problems(page).locator('[aria-expanded="true"]'), 'the visited problem covers the centre').toBeFocused();
  await page.getByRole('button', { name: /^Review and save/ }).click();
  await expect(page.getByRole('dialog', { name: 'Review changes' })).toBeVisible();
  await expectNoOverflow(page);
});

test('at 200 % zoom nothing is cut off', async ({ page }) => {
  test.slow();
  // The size of a window of 1440 by 900 at a zoom of 200 %.
  await page.setViewportSize({ width: 720, height: 450 });
  await openFolder(page, fixture('harbor'));
  await choosePackageInDrawer(page, 'anchor-operator');
  await expectNoOverflow(page);
  const node = entry(page, 'anchor-operator.v1.2.0', 'stable');
  await node.click();
  await expect(node).toHaveAttribute('aria-pressed', 'true');
  for (const tab of ['Table', 'Upgrade map', 'Compare', 'Source', 'Graph']) {
    await page.getByRole('tab', { name: tab, exact: true }).click();
    await expectNoOverflow(page);
  }
  await accessible(page, '200 % zoom');
});

async function choosePackageInDrawer(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Panels' }).getByRole('button', { name: 'Packages' }).click();
  await choosePackage(page, name);
}

test('a 4K window is used without overflow', async ({ page }) => {
  test.slow();
  await page.setViewportSize({ width: 3840, height: 2160 });
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  await expect(entry(page, 'anchor-operator.v1.2.0', 'stable')).toBeInViewport();
  await expectNoOverflow(page);
  await accessible(page, '4K');
});

test('forced colors keep the lines between the panels', async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active' });
  await openFolder(page, fixture('harbor'));
  for (const name of ['Width of packages', 'Width of the inspector', 'Height of problems']) {
    const line = await splitter(page, name).evaluate(element => getComputedStyle(element, '::before').backgroundColor);
    expect(line, name).not.toBe('rgba(0, 0, 0, 0)');
  }
});

/// The Tab stops outside the graph, tables and long lists.
function tabStops(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const lists = '[aria-label^="Upgrade graph of"], table, [role=grid], .side-list, [aria-label=Packages], [aria-label=Problems]';
    const candidates = document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary, [tabindex]');
    return [...candidates]
      .filter(at => at.tabIndex >= 0 && !at.matches(':disabled') && at.checkVisibility({ visibilityProperty: true }) && !at.closest(lists))
      .map(at => `${at.closest('header, nav, main, aside, footer')?.className ?? ''}: ${at.getAttribute('aria-label') ?? at.textContent ?? ''}`);
  });
}

test('there are few Tab stops, and arrow keys move in toolbars', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  expect((await tabStops(page)).length, (await tabStops(page)).join('\n')).toBeLessThanOrEqual(28);
  await entry(page, 'anchor-operator.v1.2.0', 'stable').click();
  const commands = inspector(page).getByRole('toolbar', { name: 'Commands' });
  await expect(commands).toBeVisible();
  expect((await tabStops(page)).length, (await tabStops(page)).join('\n')).toBeLessThanOrEqual(28);

  const buttons = commands.getByRole('button');
  await buttons.first().focus();
  await page.keyboard.press('ArrowLeft');
  await expect(buttons.last()).toBeFocused();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await expect(buttons.nth(1)).toBeFocused();
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Tab');
  await expect(buttons.nth(1), 'Tab returns to the same button').toBeFocused();
  await accessible(page, 'toolbars');
});

test('messages cover no control', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  await setRange(page, '>=1.0.0 <1.1.5');
  await expect(page.getByRole('region', { name: 'Last edit' })).toBeVisible();
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type('Download patch');
  await page.keyboard.press('Enter');
  const message = page.getByRole('log', { name: 'Messages' }).locator('.toast');
  await expect(message.first()).toBeVisible();
  const covered = await page.evaluate(() => {
    const boxes = [...document.querySelectorAll('.toast, .banner, .consequence')].filter(at => at.checkVisibility());
    type Edges = Pick<DOMRect, 'left' | 'right' | 'top' | 'bottom'>;
    const overlaps = (a: Edges, b: Edges) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
      && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
    /// The part of an element that its scrolling or clipping ancestors show.
    const visiblePart = (element: Element): Edges => {
      let part: Edges = element.getBoundingClientRect();
      for (let at = element.parentElement; at; at = at.parentElement) {
        if (getComputedStyle(at).overflow === 'visible') continue;
        const clip = at.getBoundingClientRect();
        part = {
          left: Math.max(part.left, clip.left), right: Math.min(part.right, clip.right),
          top: Math.max(part.top, clip.top), bottom: Math.min(part.bottom, clip.bottom),
        };
      }
      return part;
    };
    const controls = [...document.querySelectorAll('button, input, select, summary, a[href]')].filter(at => at.checkVisibility());
    return boxes.flatMap(box => [...controls, ...boxes]
      .filter(at => !box.contains(at) && !at.contains(box) && at.getBoundingClientRect().width > 1)
      .filter(at => overlaps(box.getBoundingClientRect(), visiblePart(at)))
      .map(at => `${box.className} covers ${at.textContent}`));
  });
  expect(covered).toEqual([]);
});

for (const window of [1440, 1280, 1024]) {
  test(`the top bar shows its names, the search and the button completely at ${window}`, async ({ page }) => {
    await page.setViewportSize({ width: window, height: 800 });
    await openFolder(page, fixture('harbor'));
    await choosePackage(page, 'anchor-operator');
    const bar = page.getByRole('banner');
    const button = bar.getByRole('button', { name: /^Review and save/ });
    const places = () => bar.getByRole('button').evaluateAll(all => all.map(at => at.getBoundingClientRect().left));
    const before = await places();
    await setRange(page, '>=1.0.0 <1.1.5');
    await expect(button).toHaveText(/1 file$/);
    expect(await places(), 'nothing moves at the first edit').toEqual(before);
    expect(await button.evaluate(at => at.scrollWidth <= at.clientWidth && at.getBoundingClientRect().right <= innerWidth)).toBe(true);
    if (window < 1440) return;
    expect(await width(bar.getByRole('button', { name: /^Search/ }))).toBeGreaterThanOrEqual(320);
    const name = bar.getByRole('heading', { name: 'anchor-operator' });
    expect(await name.evaluate(at => at.scrollWidth <= at.clientWidth)).toBe(true);
  });
}
