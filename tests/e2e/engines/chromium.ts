// Chromium, driven by Playwright.
import { chromium, type BrowserContext, type Page } from '@playwright/test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ARGS, ONE_PROCESS, drop, keepPrograms, sweep } from '../harness';
import { isProgramLoaded, withTimeout, widestElement, isWholeProgramLoaded, type Engine, type Tab, type InputMethod } from './engine';

/// The number of characters to keep of the browser's output.
const WORDS = 4_000;

export async function startChromium(): Promise<Engine> {
  // Playwright does not expose the output of the process, which is the only trace of one that exited.
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-chromium-'));
  const [program, words] = [path.join(dir, 'chromium'), path.join(dir, 'words')];
  fs.writeFileSync(program, '#!/bin/sh\nexec "$SWITCHYARD_CHROMIUM" "$@" 2>>"$SWITCHYARD_WORDS"\n', { mode: 0o755 });
  // One profile for all tabs: the browser reuses the compiled page for the next one, as for a returning visitor.
  // Unusual hosts have their own port and thus their own origin.
  const context = await chromium.launchPersistentContext(path.join(dir, 'profile'), {
    executablePath: program,
    env: { ...process.env, SWITCHYARD_CHROMIUM: process.env.SWITCHYARD_CHROMIUM ?? '/usr/bin/chromium', SWITCHYARD_WORDS: words },
    args: [...ARGS, ONE_PROCESS],
    viewport: { width: 1440, height: 900 },
    serviceWorkers: 'block',
  });
  await keepPrograms(context);
  const browser = context.browser();
  return {
    name: `Chromium ${browser?.version()}`,
    unsupported: {},
    tab: () => tab(context),
    hasEnded: () => !browser?.isConnected(),
    lastWords: () => fs.existsSync(words) ? fs.readFileSync(words, 'utf8').slice(-WORDS) : '(none)',
    end: async () => {
      await context.close();
      fs.rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function tab(context: BrowserContext): Promise<Tab> {
  const page = await sweep(context);
  const found = (role: string, name?: string | RegExp) =>
    page.getByRole(role as Parameters<Page['getByRole']>[0], name === undefined ? {} : { name, exact: true });
  return {
    open: async url => { await page.goto(url, { waitUntil: 'domcontentloaded' }); },
    give: (method, paths) => withTimeout(`giving by ${method}`, provideFiles(page, method, paths)),
    texts: (role, name) => withTimeout(`reading ${role} ${name ?? ''}`, found(role, name).allInnerTexts()),
    press: (role, name) => withTimeout(`pressing ${name}`, found(role, startsWith(name)).first().click()),
    allText: () => withTimeout('reading all', page.evaluate(() => document.body.innerText)),
    hasProgram: () => withTimeout('looking for the program', page.evaluate(isProgramLoaded)),
    hasWholeProgram: () => withTimeout('looking for the whole program', page.evaluate(isWholeProgramLoaded)),
    widest: () => withTimeout('measuring', page.evaluate(widestElement)),
    // Keeps the blank page open: a browser without pages exits.
    close: async () => { await withTimeout('closing', sweep(context)); },
  };
}

async function provideFiles(page: Page, method: InputMethod, paths: string[]): Promise<void> {
  switch (method) {
    case 'files': return page.getByLabel('Catalog files').setInputFiles(paths);
    case 'folder': return page.getByLabel('Catalog folder').setInputFiles(paths);
    case 'drop':
    case 'drop of a folder': return drop(page, paths);
  }
}

const startsWith = (name: string): RegExp => new RegExp(`^${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`);
