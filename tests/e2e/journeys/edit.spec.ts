// The main task: promote, withdraw, default channel, skip, deprecate; verdict; undo; review; and three ways to save
// that agree.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { catalogOf, inAChain } from '../catalogs';
import { PASSES, accessible, apply, builtPath, choosePackage, command, entry, expect, field, fixture, openFolder, saveBy, test, tree, verdict } from '../harness';

test('the main task from the palette', async ({ page, context }) => {
  const dir = fixture('harbor');
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openFolder(page, dir);
  await choosePackage(page, 'anchor-operator');

  await test.step('promote a bundle', async () => {
    const form = await command(page, 'Promote bundle…');
    await field(form, 'Bundle', 'anchor-operator.v1.3.0');
    await field(form, 'To channel', 'stable');
    await expect(form.getByRole('region', { name: 'Preview' })).toContainText('anchor-operator.v1.3.0');
    await accessible(page, 'form');
    await apply(form);
    await expect(entry(page, 'anchor-operator.v1.3.0', 'stable')).toHaveAccessibleName(/head/);
    await expect(verdict(page)).toHaveText(PASSES);
  });

  await test.step('withdraw it', async () => {
    const form = await command(page, 'Withdraw bundle…');
    await field(form, 'Bundle', 'anchor-operator.v1.1.0');
    await apply(form);
    await expect(entry(page, 'anchor-operator.v1.1.0', 'stable')).toHaveAccessibleName(/skipped/);
  });

  await test.step('change the default channel', async () => {
    const form = await command(page, 'Set default channel…');
    await field(form, 'Channel', 'candidate');
    await apply(form);
    await expect(entry(page, 'anchor-operator.v1.3.0', 'candidate')).toHaveAccessibleName(/default channel/);
  });

  await test.step('add a skip', async () => {
    const form = await command(page, 'Add skip…');
    await field(form, 'Channel', 'candidate');
    await field(form, 'Entry', 'anchor-operator.v1.3.0');
    await field(form, 'Skip', 'anchor-operator.v1.2.2');
    await apply(form);
    await expect(entry(page, 'anchor-operator.v1.2.2', 'candidate')).toHaveAccessibleName(/not in this channel/);
  });

  await test.step('deprecate', async () => {
    const form = await command(page, 'Deprecate…');
    await form.getByRole('radio', { name: 'Versions' }).click();
    await field(form, 'Bundle', 'anchor-operator.v1.0.0');
    await field(form, 'Message', '1.0 is out of support; go to 1.2 or newer');
    await apply(form);
    await expect(entry(page, 'anchor-operator.v1.0.0', 'stable')).toHaveAccessibleName(/deprecated/);
  });

  await test.step('the verdict fails and passes again', async () => {
    const form = await command(page, 'Set replaces…');
    await field(form, 'Channel', 'stable');
    await field(form, 'Entry', 'anchor-operator.v1.3.0');
    await field(form, 'Replaces', '');
    await expect(form.getByRole('region', { name: 'Consequences' })).toContainText(/multiple channel heads|2 heads/);
    await apply(form);
    await expect(verdict(page)).toHaveText(/Fails opm validate: \d+ error/);
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await expect(verdict(page)).toHaveText(PASSES);
  });

  const original = fixture('harbor');
  const copies: Record<'zip' | 'patch' | 'commands', Record<string, string>> = { zip: {}, patch: {}, commands: {} };
  await test.step('review, and save in three ways', async () => {
    await page.getByRole('button', { name: /Review and save/ }).click();
    const review = page.getByRole('dialog', { name: 'Review changes' });
    await expect(review.getByText('anchor-operator/catalog.yaml').first()).toBeVisible();
    await expect(review, 'one folder is open').toContainText('relative to the root of the opened folder or archive');
    await accessible(page, 'review');
    const menuButton = review.getByRole('button', { name: 'More ways to save' });
    const menuItems = review.getByRole('menuitem');
    await menuButton.press('ArrowUp');
    await expect(menuItems.last()).toBeFocused();
    await accessible(page, 'ways to save');
    await page.keyboard.press('Escape');
    await expect(menuItems, 'Escape closes only the menu').toHaveCount(0);
    await expect(menuButton).toBeFocused();
    await menuButton.press('ArrowDown');
    await expect(menuItems.first()).toBeFocused();
    await menuButton.click();
    await expect(menuItems, 'another click on the button closes it').toHaveCount(0);
    await expect(review).toBeVisible();

    const download = async (name: string) => {
      const [file] = await Promise.all([page.waitForEvent('download'), saveBy(review, name)]);
      const to = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-download-')), file.suggestedFilename());
      await file.saveAs(to);
      return to;
    };
    const zip = await download('Download changed files');
    const patch = await download('Download patch');
    await saveBy(review, 'Copy as commands');
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('switchyard edit');
    const commands = await page.evaluate(() => navigator.clipboard.readText());

    // All three use paths relative to the dropped folder.
    const copyOriginal = (how: string) => {
      const folder = path.join(fs.mkdtempSync(path.join(os.tmpdir(), `switchyard-${how}-`)), 'harbor');
      fs.cpSync(original, folder, { recursive: true });
      return folder;
    };
    const unzipped = copyOriginal('zip');
    execFileSync('python3', ['-m', 'zipfile', '-e', zip, unzipped]);
    copies.zip = tree(unzipped);
    const patched = copyOriginal('patch');
    execFileSync('git', ['apply', '--whitespace=nowarn', patch], { cwd: patched });
    copies.patch = tree(patched);

    // The displayed command, in a repository with the folder at a deeper path: run at its root, and elsewhere.
    const top = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-repository-'));
    const nestedFolder = path.join(top, 'some/harbor');
    fs.cpSync(original, nestedFolder, { recursive: true });
    const git = (...args: string[]) => execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], { cwd: top });
    git('init', '--quiet');
    git('add', '--all');
    git('commit', '--quiet', '--message', 'first');
    const diffPath = await review.locator('.diff-path').first().innerText();
    const [, inPatch] = /^diff --git a\/(\S+)/m.exec(fs.readFileSync(patch, 'utf8')) ?? [];
    expect(diffPath, 'patch and diff show the same path').toBe(inPatch);
    await review.getByRole('button', { name: 'Commit message and git apply' }).click();
    const folderField = review.getByLabel('Where is the folder harbor in your repository?');
    await expect(folderField, 'the likely place').toHaveValue('harbor');
    await folderField.fill('some/harbor');
    const line = await review.locator('.review-apply-line').innerText();
    expect(line).toBe('git apply --directory=some/harbor harbor.patch');
    for (const [where, run] of [[top, line], [os.tmpdir(), line.replace(/^git /, `git -C '${top}' `)]] as const) {
      execFileSync('bash', ['-c', run.replace(/harbor\.patch$/, `'${patch}'`)], { cwd: where });
      expect(tree(nestedFolder), `${run}, in ${where}`).toEqual(copies.patch);
      git('checkout', '--quiet', '.');
    }
    execFileSync('git', ['apply', patch], { cwd: path.join(top, 'some') });
    expect(git('status', '--porcelain').toString(), 'in another folder it changes nothing, as the review says').toBe('');
    await expect(review).toContainText('If you run it in another folder, git may skip the patch without a message');
    await folderField.fill('');
    await expect(review.locator('.review-apply-line')).toHaveText('git apply harbor.patch');
    const message = review.getByRole('textbox', { name: 'Commit message' });
    await expect(message).toHaveValue(/Promote anchor-operator.v1.3.0/);
    await expect(message, 'undone edits are not mentioned').not.toHaveValue(/Set replaces/);
    const files = review.locator('.review-file');
    expect(await files.and(review.getByRole('group')).count(), 'one group per file').toBe(await files.count());
    const commandsCopy = copyOriginal('commands');
    const switchyard = builtPath('SWITCHYARD_CLI');
    for (const line of commands.split('\n').filter(line => line.trim()))
      execFileSync('bash', ['-c', line.replace(/^switchyard /, `"${switchyard}" `)], { cwd: commandsCopy });
    copies.commands = tree(commandsCopy);
  });

  expect(copies.patch).toEqual(copies.zip);
  expect(copies.commands).toEqual(copies.zip);
  const before = tree(original);
  const changed = Object.keys(copies.zip).filter(file => copies.zip[file] !== before[file]);
  expect(changed).toEqual(['anchor-operator/catalog.yaml']);
  expect(tree(dir), 'nothing on disk changed').toEqual(before);
});

test('undo and redo work by keys, and leaving the page asks first', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'crane-operator');
  const form = await command(page, 'Set default channel…');
  await field(form, 'Channel', 'stable-v1');
  await apply(form);
  const review = page.getByRole('button', { name: /Review and save/ });
  await expect(review).toContainText('1');
  await page.keyboard.press('ControlOrMeta+z');
  await expect(page.getByRole('button', { name: 'Redo' })).toBeEnabled();
  await page.keyboard.press('ControlOrMeta+Shift+z');
  await expect(page.getByRole('button', { name: 'Redo' })).toBeDisabled();
  await expect(entry(page, 'crane-operator.v1.0.1', 'stable-v1')).toHaveAccessibleName(/default channel/);
  await test.step('in a field without typed text, they are the keys of the page', async () => {
    const message = page.getByRole('region', { name: 'Edit in place' }).getByLabel('Deprecation', { exact: true });
    await message.fill('Move to another crane.');
    await page.keyboard.press('ControlOrMeta+Enter');
    await expect(review).toContainText('2');
    await expect(message).toBeFocused();
    await page.keyboard.press('ControlOrMeta+z');
    await expect(review).toContainText('1');
    await expect(message).toHaveValue('');
    await page.keyboard.press('ControlOrMeta+Shift+z');
    await expect(message).toHaveValue('Move to another crane.');
    await message.fill('Move to a third crane.');
    await page.keyboard.press('ControlOrMeta+Enter');
    await page.keyboard.press('ControlOrMeta+z');
    await expect(page.getByRole('button', { name: 'Redo' }), 'undo waits for the edit').toBeEnabled();
    await expect(message).toHaveValue('Move to another crane.');
    await page.keyboard.press('ControlOrMeta+Shift+z');
    await expect(message).toHaveValue('Move to a third crane.');
  });
  let dialogType = '';
  page.on('dialog', dialog => { dialogType = dialog.type(); void dialog.accept(); });
  await page.reload();
  expect(dialogType).toBe('beforeunload');
});

test('a refusal has its reason and changes nothing, and its alternative keeps its name', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  const form = await command(page, 'Withdraw bundle…');
  await field(form, 'Bundle', 'anchor-operator.v1.3.0');
  const preview = form.getByRole('region', { name: 'Preview' });
  await expect(preview.getByText('has no entry above anchor-operator.v1.3.0'), 'reported once').toHaveCount(1);
  await expect(preview.getByRole('region', { name: 'Instead' })).toBeVisible();
  await form.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('button', { name: /Review and save/ })).not.toContainText('1');

  const again = await command(page, 'Withdraw bundle…');
  await field(again, 'Bundle', 'anchor-operator.v1.3.0');
  const name = 'Remove bundle anchor-operator.v1.3.0';
  await again.getByRole('button', { name }).click();
  await apply(page.getByRole('dialog', { name }));
  await expect(page.getByRole('list', { name: 'History' })).toContainText(name);
  await expect(page.getByRole('region', { name: 'Last edit' })).toContainText(name);
});

test('a part of a name does not promote anything', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  await choosePackage(page, 'anchor-operator');
  const form = await command(page, 'Promote bundle…');
  await field(form, 'To channel', 'stable');
  const bundle = form.getByLabel('Bundle', { exact: true });
  await bundle.fill('candidate');
  await expect(form.getByRole('listbox').getByRole('option'), 'a bundle is not found by its description').toHaveCount(0);
  await bundle.fill('anchor-operator.v1.');
  await expect(form.getByRole('button', { name: 'Apply' })).toBeDisabled();
  await bundle.fill('1.3.0');
  await page.keyboard.press('Tab');
  await expect(bundle).toHaveValue('anchor-operator.v1.3.0');
  await expect(form.getByRole('button', { name: 'Apply' })).toBeEnabled();
});

test('a z-stream is skipped in every channel', async ({ page }) => {
  const dir = catalogOf('harbor', 'buoy', 'quay.io/example/buoy', {
    alpha: inAChain(['1.0.0', '1.0.1', '1.1.0', '1.2.0']), beta: inAChain(['1.0.0', '1.0.1', '1.1.0']),
  });
  await openFolder(page, dir);
  await choosePackage(page, 'buoy');
  await test.step('from the menu of an entry', async () => {
    await entry(page, 'buoy.v1.0.0', 'alpha').click({ button: 'right' });
    await page.getByRole('menuitem', { name: /^Skip a z-stream/ }).click();
    const form = page.getByRole('dialog', { name: 'Skip a z-stream…' });
    await apply(form);
    await expect(entry(page, 'buoy.v1.0.0', 'beta'), 'in every channel').toHaveAccessibleName(/skipped/);
  });
});

test('an edit that would break validation is announced, and an alternative is chosen by keyboard', async ({ page }) => {
  const middle = 'buoy.v1.1.0';
  const dir = catalogOf('harbor', 'buoy', 'quay.io/example/buoy', { stable: inAChain(['1.0.0', '1.1.0', '1.2.0']) });
  await openFolder(page, dir);
  await choosePackage(page, 'buoy');
  await expect(verdict(page)).toHaveText(PASSES);
  const form = await command(page, 'Remove entry…');
  await field(form, 'Channel', 'stable');
  await field(form, 'Entry', middle);
  const preview = form.getByRole('region', { name: 'Preview' });
  const alternatives = form.getByRole('region', { name: 'Alternatives' });
  const alternativeButtons = alternatives.getByRole('list', { name: 'Alternative edits' }).getByRole('button');

  await test.step('the form warns before applying', async () => {
    await expect(alternatives).toContainText('Package buoy passes now and would fail');
    await expect(alternativeButtons.first()).toHaveAccessibleName(/^Remove bundle buoy\.v1\.1\.0/);
    await expect(verdict(page)).toHaveText(PASSES);
    await accessible(page, 'a form with other ways');
  });

  await test.step('Tab reaches an alternative, and Enter chooses it', async () => {
    await form.getByLabel('Then', { exact: true }).focus();
    for (let steps = 0; steps < 40 && !(await alternativeButtons.first().evaluate(element => element === document.activeElement)); steps++)
      await page.keyboard.press('Tab');
    await expect(alternativeButtons.first()).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(preview).toContainText('Alternative: Remove bundle buoy.v1.1.0');
    await expect(preview).toBeFocused();
    expect(await preview.evaluate(element => element.scrollTop), 'its verdict is in sight').toBe(0);
    await expect(alternatives).toHaveCount(0);
  });

  await test.step('a button leads back to the original edit', async () => {
    await form.getByRole('button', { name: 'Back to the original edit' }).press('Enter');
    await expect(alternatives).toBeVisible();
    await expect(preview).toBeFocused();
    await alternativeButtons.first().press('Enter');
    await expect(preview).toContainText('Alternative: Remove bundle buoy.v1.1.0');
    await expect(alternatives).toHaveCount(0);
  });

  await test.step('the previewed alternative is applied', async () => {
    await form.getByRole('button', { name: 'Apply' }).press('Enter');
    await expect(form).toBeHidden();
    await expect(entry(page, middle, 'stable')).toHaveAccessibleName(/, removed$/);
    await expect(verdict(page)).toHaveText(PASSES);
    await expect(page.getByRole('list', { name: 'History' })).toContainText(`Remove bundle ${middle}`);
  });
});

test('the review lists a new warning although the catalog passes', async ({ page }) => {
  const dir = catalogOf('harbor', 'buoy', 'quay.io/example/buoy', {
    stable: inAChain(['1.0.0', '1.1.0']), candidate: inAChain(['1.0.0', '1.1.0', '1.2.0-rc.1']),
  });
  await openFolder(page, dir);
  const form = await command(page, 'Promote bundle…');
  await field(form, 'Bundle', 'buoy.v1.2.0-rc.1');
  await field(form, 'To channel', 'stable');
  await apply(form);
  await page.getByRole('button', { name: /Review and save/ }).click();
  const verdicts = page.getByRole('dialog', { name: 'Review changes' }).getByRole('list', { name: 'Verdicts' });
  await expect(verdicts).toContainText('still passes opm validate');
  await expect(page.getByRole('dialog', { name: 'Review changes' }).getByRole('list', { name: 'New problems' })).toContainText('new warning head buoy.v1.2.0-rc.1 of channel stable is the pre-release 1.2.0-rc.1');
  await accessible(page, 'a review with a new warning');
});
