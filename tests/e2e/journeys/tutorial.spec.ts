// Follows the tutorial docs/first-promotion.md step by step and checks its text. SWITCHYARD_PICTURES updates its
// screenshots; otherwise they must exist.
import fs from 'node:fs';
import path from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { HERE, PASSES, accessible, choosePackage, entry, expect, field, start, test, verdict } from '../harness';

const DOCS = path.resolve(HERE, '../../docs');
const text = fs.readFileSync(path.join(DOCS, 'first-promotion.md'), 'utf8');

/// The names of controls, bold in the text; each must be used below.
const textControls = new Set([...text.matchAll(/\*\*([^*]+)\*\*/g)].map(match => match[1]));
const used = new Set<string>();
const control = (name: string): string => {
  expect([...textControls], 'the text names it').toContain(name);
  used.add(name);
  return name;
};

async function picture(of: Page | Locator, name: string): Promise<void> {
  const file = path.join(DOCS, 'pictures', name);
  expect(text, 'the text shows the picture').toContain(`](pictures/${name})`);
  if (process.env.SWITCHYARD_PICTURES) {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    await of.screenshot({ path: file, animations: 'disabled' });
  }
  const bytes = fs.readFileSync(file);
  expect(bytes.subarray(1, 4).toString(), `${name} is a picture`).toBe('PNG');
  expect(bytes.readUInt32BE(16), `${name} is wide enough to be read`).toBeGreaterThan(600);
}

test('the tutorial can be followed', async ({ page }) => {
  test.slow();
  await page.setViewportSize({ width: 1440, height: 720 });
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  const pictureNames: string[] = [];
  const take = async (of: Page | Locator, name: string): Promise<void> => {
    pictureNames.push(name);
    await page.mouse.move(0, 0);
    await picture(of, name);
  };

  await test.step('open a catalog', async () => {
    await start(page);
    await page.getByRole('button', { name: control('Try a sample') }).click();
    await expect(verdict(page)).toHaveText(control('Passes opm validate'), { timeout: 45_000 });
    expect('Passes opm validate').toBe(PASSES);
    await expect(page.getByRole('list', { name: 'Packages' }).getByRole('listitem')).toHaveCount(3);
    await choosePackage(page, 'lantern');
    await page.getByRole('searchbox', { name: 'Search packages' }).fill('');
    await expect(entry(page, 'lantern.v1.2.1', 'stable')).toHaveAccessibleName(/head/);
    await expect(entry(page, 'lantern.v1.3.0', 'candidate')).toBeVisible();
    await expect(entry(page, 'lantern.v1.3.0', 'stable')).toHaveCount(0);
    await take(page, 'first-promotion-graph.png');
  });

  const form = page.getByRole('dialog', { name: /^Promote bundle/ });
  await test.step('plan the promotion', async () => {
    await entry(page, 'lantern.v1.3.0', 'candidate').click({ button: 'right' });
    await page.getByRole('menuitem', { name: control('Promote bundle…') }).click();
    await field(form, control('To channel'), 'stable');
    const preview = form.getByRole('region', { name: 'Preview' });
    await expect(preview).toContainText('lantern/catalog.yaml');
    await expect(preview).toContainText('- name: lantern.v1.3.0');
    await expect(preview).toContainText('replaces: lantern.v1.2.1');
    await expect(form.getByRole('region', { name: 'Consequences' })).toContainText('1.3.0');
    await accessible(page, 'the form');
    await take(form, 'first-promotion-form.png');
  });

  await test.step('apply it, undo it and redo it', async () => {
    await form.getByRole('button', { name: control('Apply') }).click();
    await expect(form).toBeHidden();
    const promoted = entry(page, 'lantern.v1.3.0', 'stable');
    await expect(promoted).toHaveAccessibleName(/head/);
    await expect(entry(page, 'lantern.v1.2.1', 'stable')).not.toHaveAccessibleName(/head/);
    await expect(verdict(page)).toHaveText(PASSES);
    await take(page, 'first-promotion-applied.png');
    await page.getByRole('button', { name: control('Undo') }).first().click();
    await expect(promoted).toHaveCount(0);
    await page.getByRole('button', { name: control('Redo') }).first().click();
    await expect(promoted).toHaveAccessibleName(/head/);
  });

  await test.step('download the change', async () => {
    await page.getByRole('button', { name: new RegExp(control('Review and save')) }).click();
    const review = page.getByRole('dialog', { name: 'Review changes' });
    await expect(review.getByText('lantern/catalog.yaml').first()).toBeVisible();
    await take(review, 'first-promotion-review.png');
    await review.getByRole('button', { name: control('More ways to save') }).click();
    await expect(review.getByRole('menuitem', { name: control('Copy as commands') })).toBeVisible();
    const download = page.waitForEvent('download');
    await review.getByRole('menuitem', { name: control('Download patch') }).click();
    const patch = fs.readFileSync(await (await download).path(), 'utf8');
    const changed = patch.split('\n').filter(line => /^[+-](?!\+\+|--)/.test(line));
    expect(changed, 'exactly two lines').toEqual(['+- name: lantern.v1.3.0', '+  replaces: lantern.v1.2.1']);
  });

  expect([...used].sort(), 'every control in the text is used').toEqual([...textControls].sort());
  const pictures = [...text.matchAll(/\]\(pictures\/([^)]+)\)/g)].map(match => match[1]);
  expect(pictureNames, 'all pictures, in order').toEqual(pictures);
  // Other pages have their own pictures.
  const ownPictures = fs.readdirSync(path.join(DOCS, 'pictures')).filter(name => name.startsWith('first-promotion-'));
  expect(ownPictures.sort(), 'no unused picture').toEqual([...pictureNames].sort());
});
