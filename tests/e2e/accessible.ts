// What WCAG asks of a screen, as axe-core tells it. It knows no journey.
import { expect, type Page } from '@playwright/test';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import type { RunOnly, resultGroups } from 'axe-core';

/// axe-core, to be evaluated in a page of any engine.
export const AXE = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const GUIDELINES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/// Of the rules that hold, one place each is told: to describe them all takes as long as to look for what is wrong.
const TOLD: resultGroups[] = ['violations', 'incomplete'];

type Found = {
  violations: string[];
  /// The rules that axe could not finish, with its reason.
  givenUp: string[];
  /// How many rules found something that they hold for.
  held: number;
};

/// Axe's account of the page as it is. There are no frames in it.
async function looked(page: Page, runOnly: RunOnly): Promise<Found> {
  const options = { runOnly, resultTypes: TOLD };
  if (!await page.evaluate(() => 'axe' in window)) await page.evaluate(AXE);
  return page.evaluate(async options => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') };
    // A transition that began before less motion was asked for goes on: colors in its middle are nobody's.
    for (const animation of document.getAnimations())
      if (animation.effect?.getComputedTiming().endTime !== Infinity) animation.finish();
    const { violations, incomplete, passes } = await axe.run(document, options);
    return {
      violations: violations.map(({ id, nodes }) =>
        `${id}: ${nodes.map(({ target, any }) => `${target.join(' ')} ${any[0]?.message ?? ''}`).join(' | ')}`),
      givenUp: incomplete.flatMap(rule => 'error' in rule ? [`${rule.id}: ${JSON.stringify(rule.error)}`] : []),
      held: passes.length,
    };
  }, options);
}

/// Dialogs have a height of their own, whatever the window's is; '' gives it back.
async function stretchDialogs(page: Page, height: string): Promise<void> {
  await page.getByRole('dialog').evaluateAll((dialogs, height) => {
    for (const dialog of dialogs as HTMLElement[]) {
      dialog.style.height = height;
      dialog.style.maxHeight = height;
    }
  }, height);
}

/// No violation of WCAG 2.2 A and AA, in light and dark: themes differ in colors alone, so that the second is looked at for
/// contrast only.
export async function accessible(page: Page, what: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const asked: RunOnly = colorScheme === 'light'
      ? { type: 'tag', values: GUIDELINES }
      : { type: 'rule', values: ['color-contrast'] };
    let found = await looked(page, asked);
    // axe gives a rule up where the middle of a box that scrolls lies outside of the box around it: all of it is shown then.
    const size = page.viewportSize();
    if (found.givenUp.length && size) {
      await page.setViewportSize({ width: size.width, height: 4_000 });
      await stretchDialogs(page, '3900px');
      found = await looked(page, asked);
      await stretchDialogs(page, '');
      await page.setViewportSize(size);
    }
    expect(found.givenUp, `${what}, ${colorScheme}: rules that axe gave up`).toEqual([]);
    expect(found.violations, `${what}, ${colorScheme}`).toEqual([]);
    expect(found.held, `${what}, ${colorScheme}: nothing was looked at`).toBeGreaterThan(0);
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: null });
}
