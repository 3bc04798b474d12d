// Editing as text: the source is an editor with the shared history, problems at their lines, completion and help by
// keyboard, for files of any size.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Locator, type Page } from '@playwright/test';
import { PASSES, accessible, apply, choosePackage, command, entry, expect, field, fixture, openFolder, packageItem, saveBy, test, verdict } from '../harness';

const FILE = 'anchor-operator/catalog.yaml';
const text = (page: Page, file = FILE): Locator => page.getByRole('textbox', { name: `Text: Source of ${file}` });
const history = (page: Page): Locator => page.getByRole('list', { name: 'History' });

/// Opens the source of an entry of anchor-operator.
async function openSource(page: Page, dir: string, name = 'anchor-operator.v1.2.0'): Promise<void> {
  await openFolder(page, dir);
  await choosePackage(page, 'anchor-operator');
  await entry(page, name, 'stable').click();
  await page.getByRole('tab', { name: 'Source' }).click();
  await expect(text(page), 'its text is loaded').toHaveValue(/\S/);
}

/// Puts the caret before or after a text, like a click.
async function placeCaret(area: Locator, at: string, behind = true): Promise<void> {
  await area.evaluate((element: HTMLTextAreaElement, [at, behind]) => {
    const found = element.value.indexOf(at as string);
    if (found < 0) throw new Error(`no ${at as string}`);
    const place = found + (behind ? (at as string).length : 0);
    element.focus();
    element.setSelectionRange(place, place);
    element.dispatchEvent(new MouseEvent('mouseup'));
  }, [at, behind] as const);
}

async function downloadPatch(page: Page): Promise<string> {
  await page.getByRole('button', { name: /Review and save/ }).click();
  const review = page.getByRole('dialog', { name: 'Review changes' });
  const [file] = await Promise.all([page.waitForEvent('download'), saveBy(review, 'Download patch')]);
  const to = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-download-')), 'changes.patch');
  await file.saveAs(to);
  await page.keyboard.press('Escape');
  await expect(review).toBeHidden();
  return fs.readFileSync(to, 'utf8');
}

test('the source belongs to the chosen package', async ({ page }) => {
  await openSource(page, fixture('harbor'));
  await page.getByRole('searchbox', { name: 'Search packages' }).fill('');
  await packageItem(page, 'buoy-operator').click();
  const buoy = text(page, 'buoy-operator/catalog.json');
  await expect(buoy).toBeVisible();
  const behind = await buoy.evaluate(area => getComputedStyle(area, '::selection').backgroundColor);
  expect(behind, 'the rows below show through selected text').toMatch(/\/ 0?\.\d+\)$/);
  await page.getByRole('tab', { name: 'Graph' }).click();
  await choosePackage(page, 'crane-operator');
  await page.getByRole('tab', { name: 'Source' }).click();
  await expect(text(page, 'crane-operator/index.yaml')).toBeVisible();
  const hidden = (place: Element): number => place.scrollHeight - place.clientHeight;
  expect(await page.locator('.source-place').evaluate(hidden), 'only the text scrolls').toBe(0);
});

test('the source of a problem shows the package of its file', async ({ page }) => {
  const dir = fixture('harbor');
  fs.mkdirSync(path.join(dir, 'wreck'));
  fs.writeFileSync(path.join(dir, 'wreck/catalog.yaml'), 'schema: olm.package\nname: wreck\ndefaultChannel: none\n');
  await openFolder(page, dir);
  await choosePackage(page, 'anchor-operator');
  await page.keyboard.press('F8');
  const heading = page.getByRole('heading', { level: 1 });
  await expect(heading).toHaveText('wreck');
  const location = page.getByRole('region', { name: 'Problems' }).getByRole('button', { name: /^wreck\/catalog\.yaml/ }).first();
  await expect(location).toBeVisible();
  await choosePackage(page, 'anchor-operator');
  const missing = page.getByRole('region', { name: 'What is missing' });
  await expect(missing).toHaveCount(0);
  await location.click();
  await expect(text(page, 'wreck/catalog.yaml')).toBeVisible();
  await expect(page.locator('.source-foot'), 'the caret is at the problem').toContainText(/(Error|Warning|Info): /);
  await expect(heading).toHaveText('wreck');
  await expect(missing).toContainText('Add a channel next');
  const top = async (of: Locator): Promise<number> => (await of.boundingBox())?.y ?? 0;
  expect(await top(missing), 'it comes and goes while typing, and must not move the text')
    .toBeGreaterThan(await top(page.locator('.source-foot')));
});

test('the marked lines follow the caret', async ({ page }) => {
  await openSource(page, fixture('harbor'));
  const marked = page.locator('.editor-row[data-here="true"]');
  await expect(marked.first()).toContainText('anchor-operator.v1.2.0');
  await placeCaret(text(page), 'schema: olm.channel');
  await expect(marked).toHaveText(['schema: olm.channel']);
  await page.keyboard.press('ArrowDown');
  await expect(marked).toHaveText(['package: anchor-operator']);
});

test('a typed change is validated, reported, undone and redone', async ({ page, violations }) => {
  await openSource(page, fixture('harbor'));
  await expect(verdict(page)).toHaveText(PASSES);
  const area = text(page);
  await placeCaret(area, 'replaces: "anchor-operator.v1.1.0');
  await page.keyboard.type('x');
  const sign = page.getByRole('region', { name: `Source of ${FILE}` }).getByRole('note', { name: /^(Error|Warning|Info)/ }).first();
  await expect(sign).toBeVisible();
  await expect(page.locator('.editor-wrong').first()).toBeVisible();
  await expect(page.getByRole('region', { name: 'Problems' }).getByRole('listitem').filter({ hasText: 'channel-head-multiple' }).first()).toBeVisible();
  await expect(history(page)).toContainText(`Change text of ${FILE}`);
  await expect(area).toBeFocused();
  await test.step('the sign at the line offers a fix', async () => {
    await sign.focus();
    await expect(page.getByRole('group', { name: /^Problems of line/ })).toBeVisible();
    await accessible(page, 'editor with a problem');
  });
  await test.step('undo and redo are shared with the page', async () => {
    await area.focus();
    await page.keyboard.press('ControlOrMeta+z');
    await expect(area).not.toHaveValue(/v1\.1\.0x/);
    await expect(verdict(page)).toHaveText(PASSES);
    await page.keyboard.press('ControlOrMeta+Shift+z');
    await expect(area).toHaveValue(/v1\.1\.0x/);
    await page.keyboard.press('Backspace');
    await expect(verdict(page)).toHaveText(PASSES);
    await expect(history(page).getByText(`Change text of ${FILE}`)).toHaveCount(2);
  });
  expect(violations).toEqual([]);
});

test('undo asks first if the last step changed another file', async ({ page }) => {
  await openSource(page, fixture('harbor'));
  const area = text(page);
  await placeCaret(area, 'schema: olm.channel');
  await page.keyboard.type(' # typed');
  await expect(history(page)).toContainText(`Change text of ${FILE}`);
  await page.getByRole('tab', { name: 'Graph' }).click();
  await choosePackage(page, 'crane-operator');
  const form = await command(page, 'Set description…');
  await field(form, 'Description', 'Lifts.');
  await apply(form);
  await choosePackage(page, 'anchor-operator');
  await entry(page, 'anchor-operator.v1.2.0', 'stable').click();
  await page.getByRole('tab', { name: 'Source' }).click();
  await area.focus();
  await page.keyboard.press('ControlOrMeta+z');
  const question = page.getByRole('group', { name: 'Undo' });
  await expect(question).toContainText('The last step changed another file');
  await expect(question).toContainText('crane-operator/index.yaml');
  await expect(history(page)).toContainText('Set the description');
  await question.getByRole('button', { name: 'Keep it' }).click();
  await expect(question).toBeHidden();
  await expect(area).toBeFocused();
  await page.keyboard.press('ControlOrMeta+z');
  await question.getByRole('button', { name: 'Undo it' }).click();
  await expect(question).toBeHidden();
  await expect(area).toHaveValue(/# typed/);
  await page.keyboard.press('ControlOrMeta+z');
  await expect(area).not.toHaveValue(/# typed/);
});

test('typed text is saved too, however quickly the save key follows', async ({ page }) => {
  await openSource(page, fixture('harbor'));
  await placeCaret(text(page), 'schema: olm.channel');
  await page.keyboard.type(' # typed');
  await page.keyboard.press('ControlOrMeta+s');
  const review = page.getByRole('dialog', { name: 'Review changes' });
  await expect(review).toContainText('# typed');
});

test('typed text stays in its file when another one opens', async ({ page }) => {
  const dir = fixture('harbor');
  fs.mkdirSync(path.join(dir, 'wreck'));
  fs.writeFileSync(path.join(dir, 'wreck/catalog.yaml'), 'schema: olm.package\nname: wreck\ndefaultChannel: none\n');
  await openSource(page, dir);
  await placeCaret(text(page), 'schema: olm.channel');
  await page.keyboard.type(' # typed');
  await page.keyboard.press('F8');
  await expect(text(page, 'wreck/catalog.yaml')).toBeVisible();
  await expect(history(page)).toContainText(`Change text of ${FILE}`);
  const diff = await downloadPatch(page);
  expect(diff).toContain('+schema: olm.channel # typed');
  expect(diff).not.toContain('wreck');
});

test('text that does not parse is kept and reported', async ({ page }) => {
  await openSource(page, fixture('harbor'));
  const area = text(page);
  await placeCaret(area, 'schema: olm.channel');
  await page.keyboard.type('\n  bad: [');
  await expect(verdict(page)).toHaveText(/Fails opm validate/);
  const lastEdit = page.getByRole('region', { name: 'Last edit' });
  await expect(lastEdit).toContainText(`${FILE} is not readable yet`);
  await expect(lastEdit).not.toContainText('Worse');
  await expect(area).toHaveValue(/olm\.channel\n {2}bad: \[/);
  await page.keyboard.type('x]');
  await expect(area).toHaveValue(/bad: \[x\]/);
  // Each version is validated, but all typing is one step of the history.
  await expect(history(page).getByText(`Change text of ${FILE}`)).toHaveCount(1);
  await page.keyboard.press('ControlOrMeta+z');
  await expect(verdict(page)).toHaveText(PASSES);
  await expect(area).not.toHaveValue(/bad:/);
  await test.step('typing at another place is another step', async () => {
    await placeCaret(area, 'schema: olm.channel');
    await page.keyboard.type(' # a');
    await expect(history(page).getByText(`Change text of ${FILE}`)).toHaveCount(1);
    await placeCaret(area, 'schema: olm.package');
    await page.keyboard.type(' # b');
    await expect(history(page).getByText(`Change text of ${FILE}`)).toHaveCount(2);
    await expect(page.getByRole('button', { name: /Review and save/ })).toContainText('1 file');
    await page.keyboard.press('ControlOrMeta+z');
    await expect(area).not.toHaveValue(/# b/);
    await expect(area).toHaveValue(/# a/);
  });
});

test('keys and names are completed and explained by keyboard', async ({ page }) => {
  await openSource(page, fixture('harbor'));
  const area = text(page);
  await test.step('a name', async () => {
    await placeCaret(area, 'replaces: anchor-operator.v1.1.0');
    for (let left = 0; left < 'v1.1.0'.length; left++) await page.keyboard.press('Shift+ArrowLeft');
    await page.keyboard.press('Delete');
    await page.keyboard.press('ControlOrMeta+Space');
    const list = page.getByRole('listbox', { name: 'Suggestions' });
    await expect(list.getByRole('option', { name: /anchor-operator\.v1\.0\.0/ })).toBeVisible();
    await accessible(page, 'suggestions');
    await page.keyboard.type('v1.0');
    await expect(list.getByRole('option')).toHaveCount(1);
    await page.keyboard.press('ArrowDown');
    await expect(area).toHaveAttribute('aria-activedescendant', /.+/);
    await page.keyboard.press('Enter');
    await expect(list).toBeHidden();
    await expect(area).toHaveValue(/replaces: anchor-operator\.v1\.0\.0\n/);
  });
  await test.step('a key and its meaning', async () => {
    await page.keyboard.press('Enter');
    await page.keyboard.type('skipR');
    await expect(page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option', { name: /^skipRange/ })).toBeVisible();
    await page.keyboard.press('Tab');
    await expect(area).toHaveValue(/\n +skipRange: /);
    // Wait for the message about problems, which would replace the help.
    await expect(page.getByRole('status', { name: 'Editor message' })).toHaveText('1 warning in this file.');
    await page.keyboard.press('F1');
    await expect(page.getByRole('status', { name: 'Editor message' })).toContainText('skipRange: Versions that upgrade straight to this entry');
  });
});

test('the keyboard can leave the editor', async ({ page }) => {
  await openSource(page, fixture('harbor'));
  const area = text(page);
  await expect(area).toHaveAccessibleDescription(/to leave the editor, press Escape, then Tab/);
  await placeCaret(area, 'schema: olm.channel', false);
  await page.keyboard.press('Tab');
  await expect(area).toHaveValue(/\n {2}schema: olm\.channel/);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  await expect(area).not.toBeFocused();
});

test('a CRLF file keeps its line endings, with one changed line in the patch', async ({ page }) => {
  const dir = fixture('harbor');
  const file = path.join(dir, FILE);
  const crlf = fs.readFileSync(file, 'utf8').replaceAll('\n', '\r\n');
  fs.writeFileSync(file, `\ufeff${crlf}`);
  await openSource(page, dir);
  await placeCaret(text(page), 'replaces: anchor-operator.v1.1.0');
  await page.keyboard.type('  # as before');
  await expect(history(page)).toContainText('Change text of');
  const lines = (await downloadPatch(page)).split('\n').filter(line => /^[+-](?![+-])/.test(line));
  expect(lines).toEqual([expect.stringMatching(/^-.*v1\.1\.0\r$/), expect.stringMatching(/^\+.*v1\.1\.0 {2}# as before\r$/)]);
});

test('many lines are pasted, selected and cut', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openSource(page, fixture('harbor'));
  const area = text(page);
  const before = await area.inputValue();
  const pasted = Array.from({ length: 300 }, (_, at) => `# line ${at}`).join('\n') + '\n';
  await page.evaluate(text => navigator.clipboard.writeText(text), pasted);
  await placeCaret(area, before.slice(0, 20), false);
  await page.keyboard.press('ControlOrMeta+v');
  await expect(history(page).getByText('Change text of')).toHaveCount(1);
  expect(await area.inputValue()).toBe(pasted + before);
  // The caret is behind the pasted text.
  await page.keyboard.press('ControlOrMeta+Shift+Home');
  await page.keyboard.press('ControlOrMeta+x');
  await expect(area).toHaveValue(before);
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(pasted);
});

test('five megabytes are pasted and undone, and the control holds only their end', async ({ page, context }) => {
  test.slow();
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openSource(page, fixture('harbor'));
  const area = text(page);
  const before = await area.inputValue();
  const lines = 100_000;
  await page.evaluate(lines => navigator.clipboard.writeText('# fifty characters of a comment, again and again, no\n'.repeat(lines)), lines);
  await placeCaret(area, before.slice(0, 20), false);
  await page.keyboard.press('ControlOrMeta+v');
  await expect(history(page).getByText('Change text of')).toHaveCount(1);
  const head = page.locator('.source-head');
  await expect(head).toContainText(/100\D?\d{3} lines/);
  expect((await area.inputValue()).length, 'the browser lays out only a part').toBeLessThan(420_000);
  await expect(area).toHaveValue(/again, no\n.*schema/s);
  await test.step('typing continues after it', async () => {
    await page.keyboard.type('# typed');
    await expect(history(page).getByText('Change text of')).toHaveCount(2);
    await expect(area).toHaveValue(/no\n# typed/);
    await page.keyboard.press('ControlOrMeta+z');
  });
  await page.keyboard.press('ControlOrMeta+z');
  await expect(head).not.toContainText(/100\D?\d{3} lines/);
  await expect(area).toHaveValue(before);
});

test('an input method\'s composition is one step', async ({ page }) => {
  await openSource(page, fixture('harbor'));
  const area = text(page);
  await placeCaret(area, 'schema: olm.channel');
  const client = await page.context().newCDPSession(page);
  await page.keyboard.type(' # ');
  await client.send('Input.imeSetComposition', { text: 'に', selectionStart: 1, selectionEnd: 1 });
  await client.send('Input.imeSetComposition', { text: 'にほ', selectionStart: 2, selectionEnd: 2 });
  await client.send('Input.insertText', { text: '日本' });
  await expect(area).toHaveValue(/schema: olm\.channel # 日本\n/);
  await expect(history(page).getByText('Change text of')).toHaveCount(1);
  await page.keyboard.press('ControlOrMeta+z');
  await expect(area).not.toHaveValue(/日本/);
});

test('the find bar finds text and goes to a line', async ({ page }) => {
  await openSource(page, fixture('harbor'));
  const area = text(page);
  await area.focus();
  await page.keyboard.press('ControlOrMeta+f');
  const bar = page.getByRole('search', { name: 'Find in the text' });
  await bar.getByLabel('Find').fill('olm.deprecations');
  await page.keyboard.press('Enter');
  await expect(bar.locator('.find-status')).toHaveText(/nowhere|1 of \d/);
  await bar.getByLabel('Find').fill('schema: olm.channel');
  await page.keyboard.press('Enter');
  await expect(bar.locator('.find-status')).toHaveText(/\d of [2-9]/);
  await accessible(page, 'find');
  await page.keyboard.press('Escape');
  await expect(area).toBeFocused();
  expect(await area.evaluate((element: HTMLTextAreaElement) => element.value.slice(element.selectionStart, element.selectionEnd))).toBe('schema: olm.channel');
  await page.keyboard.press('ControlOrMeta+g');
  await bar.getByLabel('Line').fill('3');
  await page.keyboard.press('Enter');
  await expect(area).toBeFocused();
  await expect(page.getByText('Line 3, column 1')).toBeVisible();
});

test('an edit that a form refuses is made as text', async ({ page }) => {
  const dir = fixture('harbor');
  const file = path.join(dir, FILE);
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('name: anchor-operator.v1.1.0\n    replaces:', 'name: anchor-operator.v1.1.0\n    replaces: &first anchor-operator.v1.0.0\n    skips: [*first]\n    x:'));
  await openFolder(page, dir);
  await choosePackage(page, 'anchor-operator');
  const form = await command(page, 'Set replaces…');
  await field(form, 'Channel', 'stable');
  await field(form, 'Entry', 'anchor-operator.v1.1.0');
  await field(form, 'Replaces', 'anchor-operator.v0.9.0');
  await form.getByRole('button', { name: 'Edit as text' }).click();
  await expect(form).toBeHidden();
  await expect(text(page)).toBeFocused();
  await expect(page.getByText(/^Line 1\d, column \d+$/)).toBeVisible();
});

test('a file with invalid UTF-8 is shown but cannot be edited', async ({ page }) => {
  const dir = fixture('harbor');
  fs.appendFileSync(path.join(dir, FILE), Buffer.from([0x23, 0x20, 0xff, 0xfe, 0x0a]));
  await openFolder(page, dir);
  await page.getByRole('listitem').filter({ hasText: FILE }).first().click();
  await page.getByRole('tab', { name: 'Source' }).click();
  await expect(page.getByText(/contains bytes that are not UTF-8/)).toBeVisible();
  await expect(text(page)).not.toBeEditable();
});

/// A catalog with a file of about 30 MB, whose last blob has a line of 1 MB.
function large(): string {
  const dir = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-large-')), 'large');
  fs.mkdirSync(path.join(dir, 'p'), { recursive: true });
  const count = 3000;
  const name = (at: number) => `p.v1.0.${at}`;
  const filler = Array.from({ length: 130 }, (_, at) => `      key-${at}: ${'some words that fill a line of text '.repeat(2)}`).join('\n');
  const bundle = (at: number) => `---\nschema: olm.bundle\npackage: p\nname: ${name(at)}\nimage: quay.io/p/p:v1.0.${at}\nproperties:\n- type: olm.package\n  value:\n    packageName: p\n    version: 1.0.${at}\n- type: custom\n  value:\n    words:\n${filler}\n`;
  const entries = Array.from({ length: count }, (_, at) => `- name: ${name(at)}\n${at ? `  replaces: ${name(at - 1)}\n` : ''}`).join('');
  const file = fs.openSync(path.join(dir, 'p/catalog.yaml'), 'w');
  fs.writeSync(file, `---\nschema: olm.package\nname: p\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: p\nname: stable\nentries:\n${entries}`);
  for (let at = 0; at < count; at++) fs.writeSync(file, bundle(at));
  fs.writeSync(file, `---\nschema: other\ndata: ${'A'.repeat(1_000_000)}\nlast: line\n`);
  fs.closeSync(file);
  return dir;
}

test('a file of 30 MB is opened at its last line and edited there', async ({ page }) => {
  test.setTimeout(180_000);
  const dir = large();
  expect(fs.statSync(path.join(dir, 'p/catalog.yaml')).size).toBeGreaterThan(28_000_000);
  await openFolder(page, dir);
  const file = 'p/catalog.yaml';
  await expect(page.getByRole('complementary', { name: 'Inspector' }).getByText(`${file}:`).first()).toBeVisible();
  await page.getByRole('tab', { name: 'Source' }).click();
  const area = text(page, file);
  await expect(area).toBeVisible();
  await area.focus();
  await page.evaluate(() => performance.clearMeasures('source'));
  await page.keyboard.press('ControlOrMeta+End');
  await expect(area).toHaveValue(/last: line/);
  await expect(page.locator('.editor-row').filter({ hasText: 'last: line' })).toBeInViewport();
  const measuredTime = () => page.evaluate(() => performance.getEntriesByName('source', 'measure').at(-1)?.duration ?? 0);
  await expect.poll(measuredTime).toBeGreaterThan(0);
  console.log(`last line of 30 MB: ${Math.round(await measuredTime())} ms from the key to the painted lines`);
  await expect(area).toHaveValue(/… 996 kB more, not shown/);
  await placeCaret(area, 'last: line');
  await page.keyboard.type('s');
  await expect(history(page)).toContainText(`Change text of ${file}`, { timeout: 30_000 });
  const edit = await page.evaluate(() => performance.getEntriesByName('edit', 'measure').at(-1)?.duration ?? 0);
  console.log(`a letter in 30 MB: ${Math.round(edit)} ms until it is validated and drawn`);
  await placeCaret(area, 'data: AAA');
  await page.keyboard.type('B');
  await expect(page.getByRole('status', { name: 'Editor message' })).toContainText('too long to be shown whole');
  await expect(area).not.toHaveValue(/AAAB/);
  const lines = (await downloadPatch(page)).split('\n').filter(line => /^[+-](?![+-])/.test(line));
  expect(lines).toEqual(['-last: line', '+last: lines']);
  fs.rmSync(path.dirname(dir), { recursive: true, force: true });
});
