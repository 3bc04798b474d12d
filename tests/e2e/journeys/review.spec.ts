// The review: what is shown of the changes, the commit message, and which edits are saved.
import fs from 'node:fs';
import path from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { accessible, apply, choosePackage, command, expect, field, fixture, openFolder, saveBy, setRange, test } from '../harness';

test.use({ guards: { write: 1, read: 1 } });

const ANCHOR = 'anchor-operator/catalog.yaml';

const review = (page: Page): Locator => page.getByRole('dialog', { name: 'Review changes' });
const open = async (page: Page): Promise<Locator> => {
  await page.getByRole('button', { name: /Review and save/ }).click();
  return review(page);
};

test('an edited commit message is kept, and starts the patch', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  await setRange(page, '>=0.9.0 <1.2.0');
  const dialog = await open(page);
  const more = dialog.getByRole('button', { name: 'Commit message and git apply' });
  const message = dialog.getByRole('textbox', { name: 'Commit message' });
  await more.click();
  await expect(message).toHaveValue(/^anchor-operator: .*0\.9\.0/);
  const generated = await message.inputValue();
  await message.fill('Skip from 0.9.0 on\n\nRefs: X-1');
  await accessible(page, 'an edited commit message');
  await page.keyboard.press('Escape');
  await open(page);
  await more.click();
  await expect(message).toHaveValue('Skip from 0.9.0 on\n\nRefs: X-1');
  const [file] = await Promise.all([page.waitForEvent('download'), saveBy(dialog, 'Download patch')]);
  expect(fs.readFileSync(await file.path(), 'utf8')).toMatch(/^Skip from 0\.9\.0 on\n\nRefs: X-1\n\ndiff --git /);
  await dialog.getByRole('button', { name: 'Use the generated message' }).click();
  await expect(message).toHaveValue(generated);
});

test('long removed parts are one row, and old lines are beside new ones where there is room', async ({ page }) => {
  const dir = fixture('harbor');
  const text = fs.readFileSync(path.join(dir, ANCHOR), 'utf8');
  const blob = ['---', 'schema: olm.bundle', 'package: anchor-operator', 'name: anchor-operator.v9.9.9', 'image: example.com/anchor:v9.9.9',
    'properties:', '  - {type: olm.package, value: {packageName: anchor-operator, version: 9.9.9}}',
    ...Array.from({ length: 20 }, (_, at) => `  - {type: note, value: "${at}"}`),
    `  - {type: olm.bundle.object, value: {data: ${'eyJ4Ijoi'.repeat(80)}}}`, ''].join('\n');
  fs.writeFileSync(path.join(dir, ANCHOR), `${text.trimEnd()}\n${blob}`);
  await openFolder(page, dir);
  await choosePackage(page, 'anchor-operator');
  const form = await command(page, 'Remove bundle…');
  await field(form, 'Bundle', 'anchor-operator.v9.9.9');
  await apply(form);
  const dialog = await open(page);
  const fold = dialog.getByRole('button', { name: /^Show \d+ removed lines$/ });
  await expect(fold).toHaveAttribute('aria-expanded', 'false');
  await expect(dialog.getByText('schema: olm.bundle')).toHaveCount(0);
  await fold.press('Enter');
  await expect(dialog.getByRole('button', { name: /^Hide \d+ removed lines$/ })).toBeFocused();
  await expect(dialog.getByText('schema: olm.bundle')).toBeVisible();
  const whole = dialog.getByRole('button', { name: 'Show the whole line' });
  const line = dialog.locator('.diff-text').filter({ has: page.getByRole('button', { name: /Show (the whole line|less)/ }) });
  expect((await line.innerText()).length).toBeLessThan(200);
  await whole.press('Enter');
  await expect(line).toContainText('eyJ4Ijoi'.repeat(80));
  await accessible(page, 'a long removed part');

  const split = dialog.locator('.diff-lines').first();
  await expect(split).toHaveAttribute('data-split', 'true');
  const sides = dialog.locator('.diff-pair').first();
  const [old, now] = await Promise.all([sides.locator('.diff-old').boundingBox(), sides.locator('.diff-new').boundingBox()]);
  expect(old!.x + old!.width).toBeLessThanOrEqual(now!.x + 1);
  await page.setViewportSize({ width: 1100, height: 800 });
  await expect(split).toHaveAttribute('data-split', 'false');
  await expect(dialog.locator('.diff-pair')).toHaveCount(0);
});
