// Real catalogs, if available, are edited by mouse and keyboard, and the patch changes only the expected lines.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { alsoIn, choosePackage, corpus, expect, field, graph, openFolder, saveBy, test } from '../harness';

/// A folder to drop, the catalog or template in it, a package, a channel of it, and the number of files with the same
/// channel.
const PLACES: [string, RegExp | undefined, string, string, number][] = [
  ['split/cert-manager', /^v4\.18/, 'openshift-cert-manager-operator', 'stable-v1', 1],
  ['split/submariner', /^catalog-4-20/, 'submariner', 'stable-0.24', 9],
  ['community', /^v4\.20/, 'project-quay', 'stable-3.17', 3],
  ['redhat', undefined, 'quay-operator', 'stable-3.13', 1],
  ['templates/community/operators/victoriametrics-operator', /^latest\.yaml/, 'victoriametrics-operator', 'beta', 2],
];

/// Selects the other catalogs in which the edited part is the same.
async function selectEqualCatalogs(form: Locator): Promise<void> {
  if (await form.getByRole('group', { name: 'Also in' }).count() === 0) return;
  const alsoInGroup = await alsoIn(form);
  for (const row of await alsoInGroup.locator('.also-in-row').filter({ hasText: 'the same effect' }).all())
    await row.getByRole('checkbox').check();
}

/// Applies the patch with git to copies of the files; returns the changed paths.
function applyPatch(dir: string, patch: string): string[] {
  const fresh = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-real-'));
  const lines = execFileSync('git', ['apply', '--numstat', patch], { cwd: fresh, encoding: 'utf8' }).trim().split('\n');
  const changed = lines.map(line => line.split('\t')[2] ?? '');
  for (const file of changed) {
    if (!fs.existsSync(path.join(dir, file))) continue;
    fs.mkdirSync(path.dirname(path.join(fresh, file)), { recursive: true });
    fs.copyFileSync(path.join(dir, file), path.join(fresh, file));
  }
  execFileSync('git', ['apply', '--whitespace=nowarn', patch], { cwd: fresh });
  return changed;
}

/// The lines that a patch adds and removes, without indentation. Ignores JSON lines that only gained or lost a comma.
function difference(patch: string): { added: string[]; removed: string[] } {
  const lines = fs.readFileSync(patch, 'utf8').split('\n');
  const marked = (mark: string) =>
    lines.filter(line => line.startsWith(mark) && !line.startsWith(mark.repeat(3))).map(line => line.slice(1).trim().replace(/,$/, ''));
  const [added, removed] = [marked('+'), marked('-')];
  const unchangedLines = removed.filter(line => added.includes(line));
  return { added: added.filter(line => !unchangedLines.includes(line)), removed: removed.filter(line => !unchangedLines.includes(line)) };
}

async function downloadPatch(page: Page): Promise<string> {
  await page.getByRole('button', { name: /Review and save/ }).click();
  const review = page.getByRole('dialog', { name: 'Review changes' });
  const [file] = await Promise.all([page.waitForEvent('download'), saveBy(review, 'Download patch')]);
  const to = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-real-')), 'changes.patch');
  await file.saveAs(to);
  await page.keyboard.press('Escape');
  await expect(review).toBeHidden();
  return to;
}

for (const [folder, root, name, channel, files] of PLACES) {
  test(`an entry of ${folder} is edited`, async ({ page }) => {
    await openFolder(page, corpus(folder));
    if (root) await page.getByRole('list', { name: /^(Catalogs|Templates)$/ }).getByRole('listitem', { name: root }).getByRole('button').first().click();
    await choosePackage(page, name);
    const head = graph(page).getByRole('button', { name: new RegExp(` in ${channel.replaceAll('.', '\\.')},.*head`) });
    const dialog = (title: string) => page.getByRole('dialog', { name: new RegExp(`^${title}`) });

    await test.step('by mouse: a skip range', async () => {
      await head.click({ button: 'right' });
      await page.getByRole('menuitem', { name: /^Set skip range/ }).click();
      const form = dialog('Set skip range');
      await field(form, 'Skip range', '>=0.0.1 <0.0.2');
      await expect(form.getByRole('region', { name: 'Preview' })).toContainText('>=0.0.1 <0.0.2');
      await selectEqualCatalogs(form);
      await form.getByRole('button', { name: 'Apply' }).click();
      await expect(form).toBeHidden();
    });

    await test.step('by keyboard: a skip', async () => {
      await head.focus();
      await page.keyboard.press('Shift+F10');
      await expect(page.getByRole('menuitem').first()).toBeFocused();
      const item = page.getByRole('menuitem', { name: /^Add skip/ });
      for (let key = 0; key < 30 && !(await item.evaluate(node => node === document.activeElement)); key++) await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      const form = dialog('Add skip');
      // The form moves the focus to its first empty field when it is drawn.
      await expect(form.locator('input:focus')).toHaveCount(1);
      await form.getByLabel('Skip', { exact: true }).focus();
      await page.keyboard.type(`${name}.v0.0.1`);
      await page.keyboard.press('Escape');
      await expect(form.getByRole('region', { name: 'Preview' })).toContainText(`${name}.v0.0.1`);
      await selectEqualCatalogs(form);
      await form.getByRole('button', { name: 'Apply' }).focus();
      await page.keyboard.press('Enter');
      await expect(form).toBeHidden();
    });

    await test.step('the patch changes only these lines', async () => {
      const patch = await downloadPatch(page);
      expect(applyPatch(corpus(folder), patch)).toHaveLength(files);
      const { added, removed } = difference(patch);
      const isRange = (line: string) => /^"?skipRange"?: ['"]>=0\.0\.1 <0\.0\.2['"]$/.test(line);
      const isSkip = (line: string) => line.replace(/^- /, '').replaceAll('"', '') === `${name}.v0.0.1`;
      expect(added.filter(isRange)).toHaveLength(files);
      expect(added.filter(isSkip)).toHaveLength(files);
      expect(added.filter(line => !isRange(line) && !isSkip(line) && !/^"?skips"?:( \[)?$|^\]$/.test(line))).toEqual([]);
      expect(removed.filter(line => !/^"?skipRange"?: /.test(line))).toEqual([]);
      expect(removed.length).toBeLessThanOrEqual(files);
    });

    await test.step('undo restores the original', async () => {
      await page.keyboard.press('ControlOrMeta+z');
      await page.keyboard.press('ControlOrMeta+z');
      await expect(page.getByRole('button', { name: 'Undo' }).first()).toBeDisabled();
      await expect(page.getByRole('button', { name: 'Review and save' })).toHaveText('Review and save');
    });
  });
}
