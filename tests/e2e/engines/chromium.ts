// Chromium, driven by Playwright.
import { chromium, type Browser, type Page } from '@playwright/test';
import { drop } from '../harness';
import { soon, type Engine, type Tab, type Way } from './engine';

const ARGS = ['--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--disable-quic'];

export async function startChromium(): Promise<Engine> {
  const browser = await chromium.launch({
    executablePath: process.env.SWITCHYARD_CHROMIUM ?? '/usr/bin/chromium',
    args: ARGS,
  });
  return {
    name: `Chromium ${browser.version()}`,
    cannot: {},
    tab: () => tab(browser),
    end: () => browser.close(),
  };
}

async function tab(browser: Browser): Promise<Tab> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const found = (role: string, name?: string | RegExp) =>
    page.getByRole(role as Parameters<Page['getByRole']>[0], name === undefined ? {} : { name, exact: true });
  return {
    open: async url => { await page.goto(url, { waitUntil: 'domcontentloaded' }); },
    give: (way, paths) => soon(`giving by ${way}`, give(page, way, paths)),
    texts: (role, name) => soon(`reading ${role} ${name ?? ''}`, found(role, name).allInnerTexts()),
    press: (role, name) => soon(`pressing ${name}`, found(role, beginning(name)).first().click()),
    allText: () => soon('reading all', page.evaluate(() => document.body.innerText)),
    close: () => soon('closing', context.close()),
  };
}

async function give(page: Page, way: Way, paths: string[]): Promise<void> {
  switch (way) {
    case 'files': return page.getByLabel('Catalog files').setInputFiles(paths);
    case 'folder': return page.getByLabel('Catalog folder').setInputFiles(paths);
    case 'drop':
    case 'drop of a folder': return drop(page, paths);
  }
}

const beginning = (name: string): RegExp => new RegExp(`^${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`);
