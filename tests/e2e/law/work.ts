// What somebody does with the page, by chance, and what the page, its patch, its journal and the disk then have to say.
import fs from 'node:fs';
import path from 'node:path';
import { type BrowserContext, type Locator, type Page, expect } from '@playwright/test';
import { choosePackage, command, entry, field, moreCommands, openFolder } from '../harness';
import { CHANNELS, PACKAGES, type Texts, VERSIONS, fileOf, read } from './catalog';
import type { Choices } from './choices';
import { type Note, anchors, misplaced, noteText, notesIn, withNote, withoutBeginning } from './notes';
import { type Look, look, review, settled } from './look';

const WEIGHTS = {
  type: 14, form: 12, undo: 6, redo: 4, save: 5, 'change on disk': 3, 'second tab': 1, 'kill the worker': 3, 'kill the page': 3,
};
/// What is being done when something is killed.
const UNDER_WAY = ['nothing', 'type', 'type', 'form', 'undo', 'save'] as const;
/// What was shown for so long is not lost.
const KEPT_AFTER_MS = 500;

/// What was begun, as far as it had come.
type Begun = {
  what: (typeof UNDER_WAY)[number];
  /// Of what is typed.
  note?: Note;
  /// Of what a form sets.
  mark?: string;
  /// When all of it was shown.
  shownAt?: number;
};

/// One folder, open in one tab, and somebody at work.
export class Work {
  page: Page;
  /// What was done, one line each: printed with the seed when the law breaks.
  readonly log: string[] = [];
  readonly counts: Record<string, number> = {};
  private readonly notes: Note[] = [];
  /// The disk as the page read or wrote it last.
  private base: Texts;

  constructor(private readonly context: BrowserContext, page: Page, private readonly choices: Choices, readonly dir: string) {
    this.page = page;
    this.base = read(dir);
    this.accept(page);
  }

  async open(): Promise<void> {
    await openFolder(this.page, this.dir);
  }

  /// One thing that somebody does.
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

  /// The law: what is shown, what the patch says and where notes stand agree, and nothing else is on disk than was written.
  async check(): Promise<void> {
    const { shown, patched } = await this.look();
    for (const [file, text] of Object.entries(shown)) expect(misplaced(file, text, this.notes), this.story()).toEqual([]);
    expect(patched, `the patch makes what is shown\n${this.story()}`).toEqual(shown);
    expect(read(this.dir), `nothing is written that was not saved\n${this.story()}`).toEqual(this.base);
  }

  story(): string {
    return this.log.slice(-25).join('\n');
  }

  private accept(page: Page): void {
    page.on('dialog', dialog => void dialog.accept());
  }

  private look(): Promise<Look> {
    return look(this.page, this.base);
  }

  private async shown(): Promise<Texts> {
    return (await this.look()).shown;
  }

  private async form(begun: Begun): Promise<void> {
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
    // A default channel that is set already is nothing to apply.
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

  private async type(page: Page, begun: Begun): Promise<void> {
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
    // The editor indents a new line as the one above it; a note begins where it begins.
    await page.keyboard.press('Enter');
    await page.keyboard.press('Shift+Home');
    await page.keyboard.type(note.text, { delay: at % 40 });
    begun.shownAt = Date.now();
    if (pause % 2 === 0) await page.waitForTimeout(pause);
  }

  /// The text control of a package's file.
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

  /// Somebody works on the same folder in another tab, and saves.
  private async secondTab(): Promise<void> {
    await this.reload(async () => {
      const other = await this.context.newPage();
      this.accept(other);
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

  /// Changes the disk, and lets the page read again what changed, by its own look or by its banner.
  private async reload(change: () => Promise<void>): Promise<void> {
    const before = await this.shown();
    await change();
    await this.readAgain();
    await this.kept(before);
  }

  /// The page reads what the last note changed on disk: until then it goes on with what it read before.
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
    const before = await this.shown();
    change();
    this.log.push('save');
    await this.pressSave();
    this.base = read(this.dir);
    expect(await this.shown(), `what is saved is what is shown\n${this.story()}`).toEqual(this.base);
    await this.kept(before);
  }

  /// Saves, merging where somebody else changed a file.
  private async pressSave(): Promise<void> {
    const page = this.page;
    const dialog = review(page);
    const merge = dialog.getByRole('radio', { name: /^Merge/ });
    const report = dialog.getByRole('group', { name: 'Save result' });
    const isOver = async (): Promise<boolean> => await report.isVisible() || !(await dialog.isVisible());
    await page.keyboard.press('ControlOrMeta+s');
    // What was typed is a step by now, so that the review is there at once where there is something to save.
    await page.waitForTimeout(150);
    // A catalog that fails is read before it is saved.
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
    await settled(page);
  }

  /// Every note that was shown is still shown, or the page says which steps it could not go on with.
  private async kept(before: Texts): Promise<void> {
    const now = new Set(Object.values(await this.shown()).flatMap(notesIn));
    const lost = Object.values(before).flatMap(notesIn).filter(note => !now.has(note));
    const aside = this.page.locator('.banner').filter({ hasText: /could not be applied again|set aside/ });
    if (lost.length > 0 && await aside.first().isVisible()) {
      this.log.push(`set aside, and told so: ${lost.join(', ')}`);
      await aside.first().getByRole('button', { name: 'Dismiss' }).click();
      return;
    }
    expect(lost, `nothing that was shown is lost\n${this.story()}`).toEqual([]);
  }

  /// Begins something, which what is killed breaks off.
  private begin(): { begun: Begun; end: Promise<void> } {
    const begun: Begun = { what: this.choices.of(UNDER_WAY) };
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
    // It ends where its page does.
    return { begun, end: doing().catch(() => {}) };
  }

  /// What is shown after a kill is what was shown before, with as much of what was begun as had been done.
  private holds(before: Texts, begun: Begun, after: Texts, killedAt: number): void {
    const wasShown = begun.shownAt !== undefined && killedAt - begun.shownAt >= KEPT_AFTER_MS;
    const words = `what was shown is there after a kill\n${this.story()}`;
    if (begun.what === 'undo') {
      const [had, has] = [before, after].map(texts => Object.values(texts).flatMap(notesIn));
      expect(had!.filter(note => !has!.includes(note)).length, words).toBeLessThanOrEqual(1);
      return;
    }
    for (const [file, text] of Object.entries(after)) {
      const note = begun.note?.file === file ? begun.note.text : undefined;
      if (note !== undefined) {
        if (wasShown) expect(notesIn(text), words).toContain(note);
        expect(withoutBeginning(text, note), words).toBe(withoutBeginning(before[file] ?? '', note));
      } else if (begun.mark === undefined || !text.includes(begun.mark)) {
        expect(text, words).toBe(before[file]);
      }
    }
    if (wasShown && begun.mark !== undefined) expect(Object.values(after).join('\n'), words).toContain(begun.mark);
  }

  private async killWorker(): Promise<void> {
    const before = await this.shown();
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
    // A form that the worker did not answer any more is still open.
    for (let times = 0; times < 3 && await this.page.getByRole('dialog').first().isVisible(); times++) await this.page.keyboard.press('Escape');
    if (begun.what === 'save') this.base = read(this.dir);
    this.holds(before, begun, await this.shown(), killedAt);
  }

  /// A save that was begun ends, or says why it did not.
  private async afterSave(): Promise<void> {
    const dialog = review(this.page);
    await settled(this.page);
    await expect(dialog.locator('.save-progress').filter({ hasText: '…' })).toBeHidden({ timeout: 20_000 });
  }

  private async killPage(): Promise<void> {
    const before = await this.shown();
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
    this.accept(next);
    await this.open();
    this.base = read(this.dir);
    await this.goOn(JSON.stringify(before) !== JSON.stringify(this.base) && begun.what !== 'undo');
    this.holds(before, begun, await this.shown(), killedAt);
  }

  /// Goes on with what the journal has; nothing may be there where nothing was unsaved.
  private async goOn(isUnsaved: boolean): Promise<void> {
    const button = this.page.getByRole('button', { name: /^Continue with/ }).first();
    if (isUnsaved) await button.waitFor({ timeout: 30_000 });
    else await button.waitFor({ timeout: 3_000 }).catch(() => {});
    if (!(await button.isVisible())) return;
    await button.click();
    const went = this.page.getByText(/^Resumed/).first();
    const anyway = this.page.getByRole('button', { name: 'Continue anyway' });
    await went.or(anyway).first().waitFor({ timeout: 30_000 });
    if (await anyway.isVisible()) await anyway.click();
    await went.waitFor({ timeout: 30_000 });
  }
}
