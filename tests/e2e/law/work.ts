// A user who does random things with the page; checks that page, patch, journal and disk agree.
import fs from 'node:fs';
import path from 'node:path';
import { type BrowserContext, type Locator, type Page, expect } from '@playwright/test';
import { choosePackage, command, entry, field, moreCommands, openFolder } from '../harness';
import { CHANNELS, PACKAGES, type Texts, VERSIONS, fileOf, read } from './catalog';
import type { Choices } from './choices';
import { type Note, anchors, findMisplaced, noteText, notesIn, withNote, withoutBeginning } from './notes';
import { type Look, look, review, waitForVerdict } from './look';

const WEIGHTS = {
  type: 14, form: 12, undo: 6, redo: 4, save: 5, 'change on disk': 3, 'second tab': 1, 'kill the worker': 3, 'kill the page': 3,
};
/// What is in progress during a kill.
const UNDER_WAY = ['nothing', 'type', 'type', 'form', 'undo', 'save'] as const;
/// What was visible for this long must survive a kill.
const KEPT_AFTER_MS = 500;

/// An action in progress.
type Action = {
  what: (typeof UNDER_WAY)[number];
  /// The note being typed.
  note?: Note;
  /// The value that the form sets.
  mark?: string;
  /// When the whole result was visible.
  shownAt?: number;
};

/// One folder, open in one tab, and its user.
export class Work {
  page: Page;
  /// One line for each action; printed with the seed after a failure.
  readonly log: string[] = [];
  readonly counts: Record<string, number> = {};
  private readonly notes: Note[] = [];
  /// The disk as the page last read or wrote it.
  private base: Texts;

  constructor(private readonly context: BrowserContext, page: Page, private readonly choices: Choices, readonly dir: string) {
    this.page = page;
    this.base = read(dir);
    this.acceptDialogs(page);
  }

  async open(): Promise<void> {
    await openFolder(this.page, this.dir);
  }

  /// Does one random thing.
  async act(): Promise<void> {
    const kind = this.choices.weighted(WEIGHTS);
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
    switch (kind) {
      case 'type': return this.type(this.page, { what: 'type' });
      case 'form': return this.form({ what: 'form' });
      case 'undo': return this.press('ControlOrMeta+z', 'undo');
      case 'redo': return this.press('ControlOrMeta+Shift+z', 'redo');
      case 'save': return this.save();
      case 'change on disk': return this.changeOnDisk();
      case 'second tab': return this.secondTab();
      case 'kill the worker': return this.killWorker();
      case 'kill the page': return this.killPage();
    }
  }

  /// The law: the shown files, the patch and the places of notes agree, and the disk contains only what was saved.
  async check(): Promise<void> {
    const { shown, patched } = await this.look();
    for (const [file, text] of Object.entries(shown)) expect(findMisplaced(file, text, this.notes), this.story()).toEqual([]);
    expect(patched, `the patch gives the shown text\n${this.story()}`).toEqual(shown);
    expect(read(this.dir), `the disk contains only what was saved\n${this.story()}`).toEqual(this.base);
  }

  story(): string {
    return this.log.slice(-25).join('\n');
  }

  private acceptDialogs(page: Page): void {
    page.on('dialog', dialog => void dialog.accept());
  }

  private look(): Promise<Look> {
    return look(this.page, this.base);
  }

  private async readShown(): Promise<Texts> {
    return (await this.look()).shown;
  }

  private async form(begun: Action): Promise<void> {
    const page = this.page;
    const name = this.choices.of(PACKAGES);
    const isDefault = this.choices.below(3) === 0;
    const [channel, version] = [this.choices.of(CHANNELS), this.choices.of(VERSIONS)];
    const range = `<${version}-${this.choices.below(100_000) + 1}`;
    await page.getByRole('tab', { name: 'Graph' }).click();
    await choosePackage(page, name);
    const form = await command(page, isDefault ? 'Set default channel…' : 'Set skip range…');
    await field(form, 'Channel', channel);
    if (isDefault) {
      this.log.push(`set the default channel of ${name} to ${channel}`);
      begun.mark = `defaultChannel: ${channel}`;
    } else {
      this.log.push(`set the skip range of ${version} in ${channel} of ${name} to ${range}`);
      begun.mark = range;
      await field(form, 'Entry', `${name}.v${version}`);
      await field(form, 'Skip range', range);
    }
    await expect(form.getByRole('region', { name: 'Preview' })).toBeVisible();
    const apply = form.getByRole('button', { name: /^Apply/ });
    // There is nothing to apply if the channel is already the default.
    await expect(apply.or(form.getByText(/Nothing|nothing|already/)).first()).toBeVisible();
    if (await apply.isEnabled()) await apply.click();
    await page.waitForTimeout(150);
    if (isDefault && await form.isVisible()) {
      await page.waitForTimeout(500);
      if (await form.isVisible()) await page.keyboard.press('Escape');
    }
    await expect(form, this.story()).toBeHidden();
    if (!isDefault) begun.shownAt = Date.now();
  }

  private async type(page: Page, begun: Action): Promise<void> {
    const name = this.choices.of(PACKAGES);
    const [at, pause] = [this.choices.below(1_000), this.choices.below(1_200)];
    const note: Note = { text: noteText('typed', this.notes.length), file: fileOf(name), anchor: '' };
    this.notes.push(note);
    const area = await this.source(page, name);
    const offered = anchors(await area.inputValue());
    note.anchor = offered[at % offered.length] ?? '';
    this.log.push(`type ${note.text} below “${note.anchor}” in ${note.file}`);
    await area.evaluate((element: HTMLTextAreaElement, line) => {
      const at = `\n${element.value}`.indexOf(`\n${line}\n`);
      if (at < 0) throw new Error(`no ${line}`);
      element.focus();
      element.setSelectionRange(at + line.length, at + line.length);
      element.dispatchEvent(new KeyboardEvent('keyup'));
    }, note.anchor);
    begun.note = note;
    // The editor indents a new line like the previous one; a note starts in the first column.
    await page.keyboard.press('Enter');
    await page.keyboard.press('Shift+Home');
    await page.keyboard.type(note.text, { delay: at % 40 });
    begun.shownAt = Date.now();
    if (pause % 2 === 0) await page.waitForTimeout(pause);
  }

  /// The text area with a package's file.
  private async source(page: Page, name: string): Promise<Locator> {
    await page.getByRole('tab', { name: 'Graph' }).click();
    await choosePackage(page, name);
    await entry(page, `${name}.v1.3.0`, 'stable').click();
    await moreCommands(page, 'Show in source');
    const area = page.getByRole('textbox', { name: `Text: Source of ${fileOf(name)}` });
    await expect(area).toBeVisible();
    return area;
  }

  private async press(key: string, what: string): Promise<void> {
    this.log.push(what);
    await this.page.getByRole('tab', { name: 'Graph' }).click();
    await this.page.keyboard.press(key);
  }

  private async changeOnDisk(): Promise<void> {
    const file = fileOf(this.choices.of(PACKAGES));
    const full = path.join(this.dir, file);
    const text = fs.readFileSync(full, 'utf8');
    const note: Note = { text: noteText('outside', this.notes.length), file, anchor: this.choices.of(anchors(text)) };
    this.log.push(`on disk ${note.text} below “${note.anchor}” in ${file}`);
    const changed = withNote(text, note);
    if (changed === null) return;
    this.notes.push(note);
    if (this.choices.below(2) === 0) {
      await this.save(() => fs.writeFileSync(full, changed));
      await this.readAgain();
    } else await this.reload(() => { fs.writeFileSync(full, changed); return Promise.resolve(); });
  }

  /// Another tab edits and saves the same folder.
  private async secondTab(): Promise<void> {
    await this.reload(async () => {
      const other = await this.context.newPage();
      this.acceptDialogs(other);
      await openFolder(other, this.dir);
      this.log.push('in a second tab:');
      await expect(other.getByText(/also open in another tab/).first(), this.story()).toBeVisible({ timeout: 20_000 });
      await this.type(other, { what: 'type' });
      await other.keyboard.press('ControlOrMeta+s');
      await expect(other.getByText(/^Saved /).first(), this.story()).toBeVisible({ timeout: 20_000 });
      const note = this.notes.at(-1)!;
      expect(notesIn(read(this.dir)[note.file] ?? ''), this.story()).toContain(note.text);
      await other.close();
      await this.page.bringToFront();
    });
  }

  /// Changes the disk, and lets the page reload the files by its own check or by its banner.
  private async reload(change: () => Promise<void>): Promise<void> {
    const before = await this.readShown();
    await change();
    await this.readAgain();
    await this.expectKept(before);
  }

  /// Waits until the page has read the last note from disk: until then it uses the earlier text.
  private async readAgain(): Promise<void> {
    const note = this.notes.at(-1)!;
    this.log.push('look at the disk');
    await this.page.evaluate(() => dispatchEvent(new Event('focus')));
    const button = this.page.getByRole('button', { name: /^Reload/ }).first();
    await expect(async () => {
      if (await button.isVisible()) await button.click({ timeout: 1_000 });
      const area = await this.source(this.page, PACKAGES.find(name => fileOf(name) === note.file)!);
      expect(notesIn(await area.inputValue()), this.story()).toContain(note.text);
    }).toPass({ timeout: 45_000, intervals: [500, 1_000] });
    this.base = read(this.dir);
  }

  /// Saves; `change` changes the disk just before.
  private async save(change: () => void = () => {}): Promise<void> {
    const before = await this.readShown();
    change();
    this.log.push('save');
    await this.pressSave();
    this.base = read(this.dir);
    expect(await this.readShown(), `the saved text is the shown text\n${this.story()}`).toEqual(this.base);
    await this.expectKept(before);
  }

  /// Saves, merging files that changed on disk.
  private async pressSave(): Promise<void> {
    const page = this.page;
    const dialog = review(page);
    const merge = dialog.getByRole('radio', { name: /^Merge/ });
    const report = dialog.getByRole('group', { name: 'Save result' });
    const isOver = async (): Promise<boolean> => await report.isVisible() || !(await dialog.isVisible());
    await page.keyboard.press('ControlOrMeta+s');
    // Typed text has become a step by now, so that the review opens at once if there are changes.
    await page.waitForTimeout(150);
    // A catalog that fails needs a second confirmation.
    if (await dialog.getByText('Nothing is saved yet').isVisible()) await page.keyboard.press('ControlOrMeta+s');
    await expect.poll(async () => await isOver() || await merge.first().isVisible(), { timeout: 20_000 }).toBe(true);
    if (await merge.first().isVisible()) {
      for (const radio of await merge.all()) await radio.check();
      await dialog.getByRole('button', { name: 'Save', exact: true }).click();
      await expect.poll(isOver, { timeout: 20_000 }).toBe(true);
    }
    if (await report.isVisible()) {
      this.log.push(`the save says: ${await report.innerText()}`);
      await page.keyboard.press('Escape');
    }
    await waitForVerdict(page);
  }

  /// Every note that was shown is still shown, or the page reports the steps that it set aside.
  private async expectKept(before: Texts): Promise<void> {
    const shownNotes = new Set(Object.values(await this.readShown()).flatMap(notesIn));
    const lostNotes = Object.values(before).flatMap(notesIn).filter(note => !shownNotes.has(note));
    const setAsideBanner = this.page.locator('.banner').filter({ hasText: /could not be applied again|set aside/ });
    if (lostNotes.length > 0 && await setAsideBanner.first().isVisible()) {
      this.log.push(`reported as set aside: ${lostNotes.join(', ')}`);
      await setAsideBanner.first().getByRole('button', { name: 'Dismiss' }).click();
      return;
    }
    expect(lostNotes, `nothing that was shown is lost\n${this.story()}`).toEqual([]);
  }

  /// Begins an action that the kill interrupts.
  private begin(): { begun: Action; end: Promise<void> } {
    const begun: Action = { what: this.choices.of(UNDER_WAY) };
    this.log.push(`meanwhile: ${begun.what}`);
    const doing = (): Promise<void> => {
      switch (begun.what) {
        case 'nothing': return Promise.resolve();
        case 'type': return this.type(this.page, begun);
        case 'form': return this.form(begun);
        case 'undo': return this.press('ControlOrMeta+z', 'undo');
        case 'save': return this.page.keyboard.press('ControlOrMeta+s');
      }
    };
    // It fails when its page is killed.
    return { begun, end: doing().catch(() => {}) };
  }

  /// A kill loses nothing that was shown; of the interrupted action, any part may be done.
  private expectSurvival(before: Texts, begun: Action, after: Texts, killedAt: number): void {
    const wasShown = begun.shownAt !== undefined && killedAt - begun.shownAt >= KEPT_AFTER_MS;
    const message = `the shown text survives a kill\n${this.story()}`;
    if (begun.what === 'undo') {
      const [had, has] = [before, after].map(texts => Object.values(texts).flatMap(notesIn));
      expect(had!.filter(note => !has!.includes(note)).length, message).toBeLessThanOrEqual(1);
      return;
    }
    for (const [file, text] of Object.entries(after)) {
      const note = begun.note?.file === file ? begun.note.text : undefined;
      if (note !== undefined) {
        if (wasShown) expect(notesIn(text), message).toContain(note);
        expect(withoutBeginning(text, note), message).toBe(withoutBeginning(before[file] ?? '', note));
      } else if (begun.mark === undefined || !text.includes(begun.mark)) {
        expect(text, message).toBe(before[file]);
      }
    }
    if (wasShown && begun.mark !== undefined) expect(Object.values(after).join('\n'), message).toContain(begun.mark);
  }

  private async killWorker(): Promise<void> {
    const before = await this.readShown();
    const { begun, end } = this.begin();
    await this.page.waitForTimeout(this.choices.below(2_500));
    this.log.push('kill the worker');
    const deaths = await this.page.getByText(/started anew/).count();
    for (const worker of this.page.workers())
      if (await worker.evaluate(() => self.name).catch(() => '') === 'host')
        await worker.evaluate(() => { setTimeout(() => { throw new WebAssembly.RuntimeError('unreachable'); }); }).catch(() => {});
    const killedAt = Date.now();
    await end;
    if (deaths === 0) await expect(this.page.getByText(/started anew/).first()).toBeVisible({ timeout: 20_000 });
    if (begun.what === 'save') await this.afterSave();
    // A form may still be open if the worker died before it answered.
    for (let attempt = 0; attempt < 3 && await this.page.getByRole('dialog').first().isVisible(); attempt++) await this.page.keyboard.press('Escape');
    if (begun.what === 'save') this.base = read(this.dir);
    this.expectSurvival(before, begun, await this.readShown(), killedAt);
  }

  /// A save in progress completes, or reports why it did not.
  private async afterSave(): Promise<void> {
    const dialog = review(this.page);
    await waitForVerdict(this.page);
    await expect(dialog.locator('.save-progress').filter({ hasText: '…' })).toBeHidden({ timeout: 20_000 });
  }

  private async killPage(): Promise<void> {
    const before = await this.readShown();
    const next = await this.context.newPage();
    await this.page.bringToFront();
    const { begun, end } = this.begin();
    await this.page.waitForTimeout(this.choices.below(2_500));
    this.log.push('kill the page');
    const killedAt = Date.now();
    if (this.choices.below(2) === 0) {
      const gone = new Promise<void>(resolve => this.page.once('crash', () => resolve()));
      void this.context.newCDPSession(this.page).then(client => client.send('Page.crash')).catch(() => {});
      await gone;
    }
    await this.page.close({ runBeforeUnload: false });
    await end;
    this.page = next;
    this.acceptDialogs(next);
    await this.open();
    this.base = read(this.dir);
    await this.continueFromJournal(JSON.stringify(before) !== JSON.stringify(this.base) && begun.what !== 'undo');
    this.expectSurvival(before, begun, await this.readShown(), killedAt);
  }

  /// Continues with the journal, which may only be missing if nothing was unsaved.
  private async continueFromJournal(isUnsaved: boolean): Promise<void> {
    const button = this.page.getByRole('button', { name: /^Continue with/ }).first();
    if (isUnsaved) await button.waitFor({ timeout: 30_000 });
    else await button.waitFor({ timeout: 3_000 }).catch(() => {});
    if (!(await button.isVisible())) return;
    await button.click();
    const resumed = this.page.getByText(/^Resumed/).first();
    const continueAnyway = this.page.getByRole('button', { name: 'Continue anyway' });
    await resumed.or(continueAnyway).first().waitFor({ timeout: 30_000 });
    if (await continueAnyway.isVisible()) await continueAnyway.click();
    await resumed.waitFor({ timeout: 30_000 });
  }
}
