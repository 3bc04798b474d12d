// Chromium, driven by Playwright.
import { chromium, type BrowserContext, type Page } from '@playwright/test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ARGS, ONE_PROCESS, drop, keepPrograms, swept } from '../harness';
import { programThere, soon, widestThere, wholeProgramThere, type Engine, type Tab, type Way } from './engine';

/// So many of the last letters that a browser writes are of use.
const WORDS = 4_000;

export async function startChromium(): Promise<Engine> {
  // Playwright does not give what the process writes, which is all that is left of one that ended.
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-chromium-'));
  const [program, words] = [path.join(dir, 'chromium'), path.join(dir, 'words')];
  fs.writeFileSync(program, '#!/bin/sh\nexec "$SWITCHYARD_CHROMIUM" "$@" 2>>"$SWITCHYARD_WORDS"\n', { mode: 0o755 });
  // One profile for all tabs: what the browser compiled of the page is then there for the next one, as for a visitor who
  // comes back. Hosts that are odd have a port, and so an origin, of their own.
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
    cannot: {},
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
  const page = await swept(context);
  const found = (role: string, name?: string | RegExp) =>
    page.getByRole(role as Parameters<Page['getByRole']>[0], name === undefined ? {} : { name, exact: true });
  return {
    open: async url => { await page.goto(url, { waitUntil: 'domcontentloaded' }); },
    give: (way, paths) => soon(`giving by ${way}`, give(page, way, paths)),
    texts: (role, name) => soon(`reading ${role} ${name ?? ''}`, found(role, name).allInnerTexts()),
    press: (role, name) => soon(`pressing ${name}`, found(role, beginning(name)).first().click()),
    allText: () => soon('reading all', page.evaluate(() => document.body.innerText)),
    hasProgram: () => soon('looking for the program', page.evaluate(programThere)),
    hasWholeProgram: () => soon('looking for the whole program', page.evaluate(wholeProgramThere)),
    widest: () => soon('measuring', page.evaluate(widestThere)),
    // The blank page of the sweep stays: a browser without any ends.
    close: async () => { await soon('closing', swept(context)); },
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
