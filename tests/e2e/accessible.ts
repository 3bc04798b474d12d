// Checks a screen against WCAG with axe-core. Must not know any journey.
import { expect, type Page } from '@playwright/test';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import type { RunOnly, resultGroups } from 'axe-core';

/// The source of axe-core, to evaluate in a page of any engine.
export const AXE = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const GUIDELINES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/// Report only one node for each passing rule: describing all of them takes as long as the check itself.
const RESULT_TYPES: resultGroups[] = ['violations', 'incomplete'];

type AxeResult = {
  violations: string[];
  /// The rules that axe could not complete, with its reason.
  givenUp: { rule: string; reason: string }[];
  /// The number of rules that passed on at least one node.
  passed: number;
};

/// Axe's report on the page as it is. The page has no frames.
async function runAxe(page: Page, runOnly: RunOnly): Promise<AxeResult> {
  const options = { runOnly, resultTypes: RESULT_TYPES };
  if (!await page.evaluate(() => 'axe' in window)) await page.evaluate(AXE);
  return page.evaluate(async options => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') };
    // Finish transitions that began before reduced motion was requested: their intermediate colors are not part of a
    // theme.
    for (const animation of document.getAnimations())
      if (animation.effect?.getComputedTiming().endTime !== Infinity) animation.finish();
    const { violations, incomplete, passes } = await axe.run(document, options);
    return {
      violations: violations.map(({ id, nodes }) =>
        `${id}: ${nodes.map(({ target, any }) => `${target.join(' ')} ${any[0]?.message ?? ''}`).join(' | ')}`),
      givenUp: incomplete.flatMap(rule => 'error' in rule ? [{ rule: rule.id, reason: JSON.stringify(rule.error) }] : []),
      passed: passes.length,
    };
  }, options);
}

/// Dialogs have their own height, independent of the window; '' resets it.
async function stretchDialogs(page: Page, height: string): Promise<void> {
  await page.getByRole('dialog').evaluateAll((dialogs, height) => {
    for (const dialog of dialogs as HTMLElement[]) {
      dialog.style.height = height;
      dialog.style.maxHeight = height;
    }
  }, height);
}

/// Expects no violation of WCAG 2.2 A and AA, in light and dark. Themes differ only in colors, so the dark one is
/// checked for contrast only.
export async function accessible(page: Page, what: string): Promise<void> {
  const size = page.viewportSize();
  let isStretched = false;
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    let found = await runAxe(page, colorScheme === 'light'
      ? { type: 'tag', values: GUIDELINES }
      : { type: 'rule', values: ['color-contrast'] });
    // axe gives up a rule when the middle of a scrolling box is outside its parent: make everything visible and try
    // these rules again.
    if (found.givenUp.length && size && !isStretched) {
      isStretched = true;
      await page.setViewportSize({ width: size.width, height: 4_000 });
      await stretchDialogs(page, '3900px');
      const again = await runAxe(page, { type: 'rule', values: found.givenUp.map(({ rule }) => rule) });
      found = { violations: [...found.violations, ...again.violations], givenUp: again.givenUp, passed: found.passed + again.passed };
    }
    expect(found.givenUp, `${what}, ${colorScheme}: rules that axe gave up`).toEqual([]);
    expect(found.violations, `${what}, ${colorScheme}`).toEqual([]);
    expect(found.passed, `${what}, ${colorScheme}: no rule was checked`).toBeGreaterThan(0);
  }
  if (isStretched && size) {
    await stretchDialogs(page, '');
    await page.setViewportSize(size);
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: null });
}
