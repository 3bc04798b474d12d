// Reads the files as the page shows them, and the result of its patch.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Locator, type Page, expect } from '@playwright/test';
import { saveBy, verdict } from '../harness';
import { type Texts, read, write } from './catalog';

export type Look = {
  /// The files that the page offers for download, over those on disk where nothing changed.
  shown: Texts;
  /// The files on disk with the patch applied.
  patched: Texts;
};

const scratch = (): string => fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-look-'));

export const review = (page: Page): Locator => page.getByRole('dialog', { name: 'Review changes' });

/// Waits for the verdict.
export async function waitForVerdict(page: Page): Promise<void> {
  await expect(verdict(page)).toHaveText(/(Passes|Fails) opm validate/, { timeout: 30_000 });
}

/// `base` is the disk as the page last read or wrote it.
export async function look(page: Page, base: Texts): Promise<Look> {
  await waitForVerdict(page);
  const dialog = review(page);
  // Leaving the source turns typed text into a step.
  await page.getByRole('tab', { name: 'Graph' }).click();
  await page.waitForTimeout(300);
  await page.getByRole('button', { name: /Review and save/ }).click();
  await expect(dialog).toBeVisible();
  await expect(dialog.locator('.review-summary').filter({ hasText: /No changes|All other lines/ }).first()).toBeVisible({ timeout: 20_000 });
  const zip = await download(page, dialog, 'Download changed files');
  const patch = await download(page, dialog, 'Download patch');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  const [shown, patched] = [scratch(), scratch()];
  write(shown, base);
  write(patched, base);
  if (zip !== null) execFileSync('python3', ['-m', 'zipfile', '-e', zip, shown]);
  if (patch !== null) execFileSync('git', ['apply', '--whitespace=nowarn', patch], { cwd: patched });
  const found = { shown: read(shown), patched: read(patched) };
  for (const dir of [shown, patched, ...[zip, patch].filter(file => file !== null).map(file => path.dirname(file))])
    fs.rmSync(dir, { recursive: true });
  return found;
}

/// The file that a button of the review downloads; `null` if there are no changes.
async function download(page: Page, dialog: Locator, name: string): Promise<string | null> {
  if (await dialog.locator('.review-summary').filter({ hasText: /No changes/ }).count() > 0) return null;
  const [file] = await Promise.all([page.waitForEvent('download'), saveBy(dialog, name)]);
  const to = path.join(scratch(), file.suggestedFilename());
  await file.saveAs(to);
  return to;
}
