// Whole channels are copied, renamed, rebuilt and removed, each with a preview and an undo.
import { catalogOf, inAChain } from '../catalogs';
import { PASSES, accessible, apply, choosePackage, command, entry, expect, field, fixture, graph, openFolder, test, useLetterKeys, verdict } from '../harness';

const FIRST = 'anchor-operator.v1.0.0';
const HEAD = 'anchor-operator.v1.2.0';

test('channels are added, renamed, rebuilt and removed', async ({ page }) => {
  await useLetterKeys(page);
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  const preview = (form: ReturnType<typeof page.getByRole>) => form.getByRole('region', { name: 'Preview' });

  await test.step('the selected channel is copied', async () => {
    await graph(page).getByRole('button', { name: /^Channel stable,/ }).click();
    const form = await command(page, 'Add channel…');
    await expect(form.getByLabel('From', { exact: true })).toHaveValue('stable');
    await field(form, 'Channel', 'fast');
    await expect(preview(form)).toContainText('name: fast');
    await accessible(page, 'form');
    await apply(form);
    await expect(entry(page, HEAD, 'fast')).toHaveAccessibleName(/head/);
    await expect(verdict(page)).toHaveText(PASSES);
  });

  await test.step('a bundle is promoted to a channel that does not exist yet', async () => {
    const form = await command(page, 'Promote bundle…');
    await field(form, 'Bundle', HEAD);
    await field(form, 'To channel', 'beta');
    await form.getByRole('button', { name: 'Add channel beta and promote to it' }).click();
    await expect(preview(form)).toContainText('name: beta');
    await apply(form);
    await expect(entry(page, HEAD, 'beta')).toHaveAccessibleName(/head/);
    await page.keyboard.press('ControlOrMeta+z');
    await expect(entry(page, HEAD, 'beta')).toHaveCount(0);
  });

  await test.step('a duplicate name is refused with its place', async () => {
    const form = await command(page, 'Rename channel…');
    await field(form, 'Channel', 'fast');
    await field(form, 'New name', 'stable');
    await expect(preview(form)).toContainText('already has a channel stable');
    await expect(preview(form)).toContainText('anchor-operator/catalog.yaml');
    await field(form, 'New name', 'fast-v1');
    await apply(form);
    await expect(entry(page, HEAD, 'fast-v1')).toBeVisible();
    await expect(entry(page, HEAD, 'fast')).toHaveCount(0);
  });

  await test.step('the default channel follows its new name', async () => {
    const form = await command(page, 'Rename channel…');
    await field(form, 'Channel', 'stable');
    await field(form, 'New name', 'stable-v1');
    await expect(preview(form)).toContainText('defaultChannel: stable-v1');
    await apply(form);
    await expect(entry(page, HEAD, 'stable-v1')).toHaveAccessibleName(/default channel/);
    await expect(verdict(page)).toHaveText(PASSES);
  });

  await test.step('edges are rebuilt by rule, opened by key', async () => {
    await page.keyboard.press('e');
    const form = page.getByRole('dialog', { name: /^Rebuild edges/ });
    await field(form, 'Channel', 'stable-v1');
    await field(form, 'Rule', 'skip-patch');
    await field(form, 'Rule', 'skip-range');
    await expect(preview(form)).toContainText(/skipRange: .>=1\.0\.0 <1\.1\.0/);
    await apply(form);
    await expect(verdict(page)).toHaveText(PASSES);
  });

  await test.step('a whole y-stream is skipped at once', async () => {
    const form = await command(page, 'Add skip…');
    await field(form, 'Channel', 'stable-v1');
    await field(form, 'Entry', HEAD);
    // Enter accepts the suggestion without submitting the form; Escape closes the list before the form.
    const matching = form.getByLabel('Skip matching', { exact: true });
    await matching.pressSequentially('1.0');
    await expect(form.getByRole('listbox', { name: 'Suggestions' })).toBeVisible();
    await matching.press('Escape');
    await expect(form.getByRole('listbox')).toHaveCount(0);
    await expect(form).toBeVisible();
    await matching.fill('');
    await matching.pressSequentially('1.0');
    await matching.press('ArrowDown');
    await matching.press('Enter');
    await expect(form).toBeVisible();
    await expect(matching).toHaveValue('1.0.z');
    await expect(preview(form)).toContainText(FIRST);
    await apply(form);
    await expect(entry(page, FIRST, 'stable-v1')).toHaveAccessibleName(/skipped/);
  });

  await test.step('removing the default channel is reported, removing another one works', async () => {
    const form = await command(page, 'Remove channel…');
    await field(form, 'Channel', 'stable-v1');
    await expect(form.getByRole('region', { name: 'Consequences' })).toContainText(/default channel|fails opm validate/i);
    await field(form, 'Channel', 'fast-v1');
    await apply(form);
    await expect(entry(page, HEAD, 'fast-v1')).toHaveCount(0);
    await expect(verdict(page)).toHaveText(PASSES);
  });

  await test.step('every step is named in the history and can be undone', async () => {
    const history = page.getByRole('list', { name: 'History' });
    for (const step of ['Add channel fast as a copy of stable', 'Rename channel fast to fast-v1', 'Rename channel stable to stable-v1',
      'Rebuild the edges of stable-v1: skip ranges by y-stream', `Let ${HEAD} in stable-v1 skip all in 1.0.z`, 'Remove channel fast-v1'])
      await expect(history).toContainText(step);
    const undo = page.getByRole('button', { name: 'Undo' }).first();
    await undo.click();
    await expect(entry(page, HEAD, 'fast-v1')).toBeVisible();
    await undo.click();
    await expect(entry(page, FIRST, 'stable-v1')).not.toHaveAccessibleName(/skipped/);
    await page.keyboard.press('ControlOrMeta+z');
    await page.keyboard.press('ControlOrMeta+z');
    await expect(entry(page, HEAD, 'stable')).toHaveAccessibleName(/default channel/);
    await undo.click();
    await expect(entry(page, HEAD, 'fast')).toBeVisible();
    await undo.click();
    await expect(entry(page, HEAD, 'fast')).toHaveCount(0);
    await expect(verdict(page)).toHaveText(PASSES);
    await expect(undo).toBeDisabled();
  });
});

test('the preview of thousands of rebuilt entries renders few details', async ({ page }) => {
  test.slow();
  // Several times as many y-streams and entries as a list shows at once.
  const versions = Array.from({ length: 2_500 }, (_, number) => `1.${Math.floor(number / 5)}.${number % 5}`);
  await openFolder(page, catalogOf('ropes', 'rope', 'quay.io/ropes/rope', { stable: inAChain(versions) }));
  await choosePackage(page, 'rope');
  const form = await command(page, 'Rebuild edges…');
  await field(form, 'Channel', 'stable');
  await field(form, 'Rule', 'skip-patch');
  const consequences = form.getByRole('region', { name: 'Consequences' });
  const why = consequences.getByRole('button', { name: /^Why\?/ });
  await expect(why).toBeVisible({ timeout: 120_000 });
  const items = form.locator('li');
  const closed = await items.count();
  expect(closed, 'the details are not rendered').toBeLessThan(50);
  await why.click();
  const broken = consequences.getByRole('list', { name: 'Broken invariants' });
  await broken.getByText(/ more like this$/).first().click();
  const showMore = broken.getByRole('button', { name: /^Show \d+ more/ });
  await expect(showMore.first()).toBeVisible();
  expect(await items.count()).toBeLessThan(closed + 250);
  await expect(form.getByText('Show 0 more')).toHaveCount(0);
});
