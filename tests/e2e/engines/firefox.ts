// Firefox, driven by Puppeteer over WebDriver BiDi: Playwright drives only its own patched Firefox.
import type { Browser, ElementHandle, JSHandle, Page } from 'puppeteer-core';
import { isProgramLoaded, withTimeout, widestElement, isWholeProgramLoaded, type Engine, type Tab, type InputMethod } from './engine';

const NO_FOLDER = 'WebDriver BiDi gives no folder to a page: “File error: Is directory”';

type Preferences = Record<string, boolean | number | string>;

/// Preferences that spare work.
export const LEAN: Preferences = {
  // Each tab compiles the program again and uses it for seconds: the baseline compiler is enough.
  'javascript.options.wasm_optimizingjit': false,
  // Each tab would store the whole page in vain.
  'dom.serviceWorkers.enabled': false,
};

/// Launches a headless Firefox with additional preferences.
export async function launchFirefox(executablePath: string, preferences: Preferences = {}): Promise<Browser> {
  // Imported here since it is only needed where Firefox is installed.
  const { launch } = await import('puppeteer-core');
  return launch({
    browser: 'firefox',
    executablePath,
    headless: true,
    timeout: 110_000,
    // Puppeteer lets a page opened as a file read the files beside it; a user's Firefox does not.
    extraPrefsFirefox: {
      'security.fileuri.strict_origin_policy': true,
      ...LEAN,
      ...preferences,
    },
    defaultViewport: { width: 1440, height: 900 },
  });
}

export async function startFirefox(executablePath: string): Promise<Engine> {
  const browser = await launchFirefox(executablePath);
  const version = await browser.version();
  return {
    name: version.replace('/', ' '),
    unsupported: { folder: NO_FOLDER, 'drop of a folder': NO_FOLDER },
    tab: () => tab(browser),
    hasEnded: () => !browser.connected,
    lastWords: () => `exit status ${browser.process()?.exitCode ?? 'unknown'}, signal ${browser.process()?.signalCode ?? 'none'}`,
    end: async () => {
      // A content process in a long computation prevents the browser from closing.
      await withTimeout('ending the browser', browser.close(), 5_000).catch(() => browser.process()?.kill('SIGKILL'));
    },
  };
}

async function tab(browser: Browser): Promise<Tab> {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  return {
    open: async url => { await page.goto(url, { waitUntil: 'domcontentloaded' }); },
    give: (method, paths) => withTimeout(`giving by ${method}`, provideFiles(page, method, paths)),
    texts: (role, name) => withTimeout(`reading ${role} ${name ?? ''}`, texts(page, role, name)),
    press: (role, name) => withTimeout(`pressing ${name}`, press(page, role, name)),
    allText: () => withTimeout('reading all', page.evaluate(() => document.body.innerText)),
    hasProgram: () => withTimeout('looking for the program', page.evaluate(isProgramLoaded)),
    hasWholeProgram: () => withTimeout('looking for the whole program', page.evaluate(isWholeProgramLoaded)),
    widest: () => withTimeout('measuring', page.evaluate(widestElement)),
    close: () => withTimeout('closing', context.close()),
  };
}

/// Gives files to the input with this label.
export const upload = async (page: Page, label: string, paths: string[]): Promise<void> =>
  (await findInput(page, label)).uploadFile(...paths);

async function provideFiles(page: Page, method: InputMethod, paths: string[]): Promise<void> {
  if (method === 'files') {
    await upload(page, 'Catalog files', paths);
    return;
  }
  // The protocol cannot drop files: a temporary input provides them to a scripted drop event.
  const helper = await page.evaluateHandle(() => {
    const input = document.createElement('input');
    input.type = 'file';
    input.multiple = true;
    return document.body.appendChild(input);
  });
  await helper.uploadFile(...paths);
  await helper.evaluate(input => {
    const data = new DataTransfer();
    for (const file of input.files ?? []) data.items.add(file);
    input.remove();
    for (const type of ['dragenter', 'dragover', 'drop'])
      document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: data }));
  });
}

/// The input with this label.
async function findInput(page: Page, label: string): Promise<ElementHandle<HTMLInputElement>> {
  const found = await page.evaluateHandle(wanted => {
    const label = [...document.querySelectorAll('label')].find(label => label.textContent === wanted);
    return label?.control;
  }, label);
  const input = found.asElement() as ElementHandle<HTMLInputElement> | null;
  if (input === null) throw new Error(`no input “${label}” exists`);
  return input;
}

/// Selectors for elements with a role, implicit or explicit. The protocol can search by role too, but queries the
/// accessibility tree for each node, which takes seconds on a large page.
const WITH_ROLE: Record<string, string> = {
  alert: '[role=alert]',
  button: 'button, [role=button]',
  complementary: 'aside, [role=complementary]',
  dialog: 'dialog[open], [role=dialog]',
  list: 'ul, ol, [role=list]',
  listitem: 'li, [role=listitem]',
  menuitem: '[role=menuitem]',
  option: '[role=option]',
  progressbar: 'progress, [role=progressbar]',
  region: 'section[aria-label], section[aria-labelledby], [role=region]',
  status: 'output, [role=status]',
  tab: '[role=tab]',
};

/// All visible elements with this role and their names, in document order.
async function namedElements(page: Page, role: string): Promise<JSHandle<[HTMLElement, string][]>> {
  const selector = WITH_ROLE[role];
  if (selector === undefined) throw new Error(`add the selector of role ${role} to WITH_ROLE`);
  return page.evaluateHandle(selector => {
    const label = (element: HTMLElement): string => element.getAttribute('aria-label')
      ?? document.getElementById(element.getAttribute('aria-labelledby') ?? '')?.innerText
      ?? element.innerText;
    return [...document.querySelectorAll<HTMLElement>(selector)]
      .filter(element => element.checkVisibility({ visibilityProperty: true }) && element.closest('[aria-hidden=true], [inert]') === null)
      .map((element): [HTMLElement, string] => [element, label(element).trim()]);
  }, selector);
}

export async function texts(page: Page, role: string, name?: string): Promise<string[]> {
  const found = await namedElements(page, role);
  return found.evaluate((found, name) => found.filter(([, own]) => name === undefined || own === name).map(([element]) => element.innerText), name);
}

export async function press(page: Page, role: string, name: string): Promise<void> {
  const found = await (await namedElements(page, role)).evaluateHandle((found, name) => found.find(([, own]) => own.startsWith(name))?.[0], name);
  const element = found.asElement() as ElementHandle<HTMLElement> | null;
  if (element === null) throw new Error(`no ${role} has a name that starts with “${name}”`);
  await element.click();
}
