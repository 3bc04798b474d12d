// A user's actions in Firefox, by roles, names and keys, over WebDriver BiDi.
import { expect } from '@playwright/test';
import type { ElementHandle, KeyInput, Page } from 'puppeteer-core';
import { press, texts } from './firefox';

/// For a browser under load; without load these actions take half a second.
const PATIENCE = { timeout: 30_000, intervals: [50, 100, 200] };

export class FirefoxUser {
  constructor(readonly page: Page) {}

  /// Opens the page and waits until all of its program is loaded.
  async opens(url: string): Promise<void> {
    await this.page.goto(url, { waitUntil: 'domcontentloaded' });
    await this.seesProgram();
  }

  seesProgram = (): Promise<void> => expect.poll(() => this.page.evaluate(() =>
    document.querySelector('#boot') === null && performance.getEntriesByName('loaded').length > 0), PATIENCE).toBe(true);

  sees = (role: string, name: string | undefined, words: RegExp): Promise<void> =>
    expect.poll(async () => (await texts(this.page, role, name)).join('\n'), PATIENCE).toMatch(words);

  seesNo = (role: string, name?: string): Promise<void> =>
    expect.poll(async () => (await texts(this.page, role, name)).length, PATIENCE).toBe(0);

  /// Presses the element with this role whose name starts with `name`, as soon as it is enabled.
  presses = (role: string, name: string): Promise<void> => expect(() => press(this.page, role, name)).toPass(PATIENCE);

  /// Presses a key with modifiers.
  async keys(key: KeyInput, ...held: KeyInput[]): Promise<void> {
    for (const down of held) await this.page.keyboard.down(down);
    await this.page.keyboard.press(key);
    for (const down of held) await this.page.keyboard.up(down);
  }

  types = (text: string): Promise<void> => this.page.keyboard.type(text);

  /// Opens the form of a command from the palette, with the keyboard only.
  async command(name: string): Promise<void> {
    await this.keys('k', 'Control');
    await this.sees('dialog', 'Command palette', /./);
    await this.types(name);
    await this.sees('option', undefined, new RegExp(name));
    await this.keys('Enter');
    await this.seesNo('dialog', 'Command palette');
  }

  /// Fills the field with this label, with the keyboard only.
  async fills(label: string, text: string): Promise<void> {
    const field = async (): Promise<ElementHandle<HTMLInputElement> | null> => {
      const found = await this.page.evaluateHandle(wanted =>
        [...document.querySelectorAll<HTMLInputElement>('input, select, textarea')].filter(field => field.checkVisibility())
          .findLast(field => field.getAttribute('aria-label') === wanted || [...field.labels ?? []].some(label => label.innerText.trim() === wanted)), label);
      return found.asElement() as ElementHandle<HTMLInputElement> | null;
    };
    // A form that is still opening may move the focus once more: repeat the typing then.
    await expect(async () => {
      const found = await field();
      if (found === null) throw new Error(`no field ${label}`);
      await found.evaluate(field => { field.focus(); field.select?.(); });
      await this.types(text);
      expect(await found.evaluate(field => field.value)).toBe(text);
    }).toPass(PATIENCE);
  }

  async choosesPackage(name: string): Promise<void> {
    await this.fills('Search packages', name);
    await expect(async () => {
      const found = await this.page.evaluateHandle(wanted => [...document.querySelectorAll<HTMLElement>('[role=listitem], li')]
        .filter(item => item.closest('[aria-label=Packages]')).find(item => (item.getAttribute('aria-label') ?? item.innerText).startsWith(wanted)), name);
      const item = found.asElement() as ElementHandle<HTMLElement> | null;
      if (item === null) throw new Error(`no package ${name}`);
      await item.click();
    }).toPass(PATIENCE);
    await this.sees('region', `Upgrade graph of ${name}`, /./);
  }

  /// An edit of the fixture `harbor`.
  async setsDefaultChannel(channel: string): Promise<void> {
    await this.choosesPackage('anchor-operator');
    await this.command('Set default channel');
    await this.fills('Channel', channel);
    await this.sees('region', 'Preview', new RegExp(channel));
    await this.presses('button', 'Apply');
    await this.sees('button', undefined, /Review and save/);
  }

  /// Opens the review. The consequences of an edit may move the button during the click: click again then.
  async reviews(words: RegExp): Promise<void> {
    await expect(async () => {
      if ((await texts(this.page, 'dialog', 'Review changes')).length === 0) await press(this.page, 'button', 'Review and save');
      expect((await texts(this.page, 'dialog', 'Review changes')).length).toBe(1);
    }).toPass(PATIENCE);
    await this.sees('dialog', 'Review changes', words);
  }

  /// The focused element, and whether its focus is visible; `null` while the focus is in the browser's own toolbars.
  focus = (): Promise<{ name: string; isSeen: boolean } | null> => this.page.evaluate(() => {
    const element = document.activeElement as HTMLElement | SVGElement | null;
    if (element === null || element === document.body) return null;
    // The outline is drawn around the element or around an ancestor that frames it.
    const isSeen = [element, element.parentElement, element.parentElement?.parentElement].some(around => {
      const style = around && getComputedStyle(around);
      return style && (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0 || style.boxShadow !== 'none');
    });
    // In a drawing, the focused shape has an outline in the accent color.
    const probe = document.body.appendChild(document.createElement('span'));
    probe.style.color = 'var(--accent)';
    const { color } = getComputedStyle(probe);
    probe.remove();
    const isDrawn = element instanceof SVGElement && [...element.querySelectorAll('*')].some(part => getComputedStyle(part).stroke === color);
    return { name: element.getAttribute('aria-label') ?? (element.textContent?.trim() || element.outerHTML.slice(0, 200)), isSeen: isSeen || isDrawn };
  });
}
