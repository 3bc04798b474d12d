// The shortest whole job in WebKit: open, edit, review, download. Only in the run that a release must pass.
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { WebKit } from '../engines/webkit';
import { PASSES, UNDER_A_PATH, fixture, tree } from '../harness';

const DRIVER = process.env.SWITCHYARD_WEBKIT ?? '';
const PATIENCE = { timeout: 60_000, intervals: [100, 200, 500] };

/// Presses what has this role's element and a name that begins so; false while it is not there.
const PRESS = `
  const [selector, name] = arguments;
  const named = element => element.getAttribute('aria-label') ?? element.textContent.trim();
  const found = [...document.querySelectorAll(selector)].find(element => named(element).startsWith(name) && !element.disabled && element.getClientRects().length > 0);
  found?.click();
  return found !== undefined;`;

/// Types into the field with this label, as far as the page can tell; false while it is not there.
const FILL = `
  const [label, text] = arguments;
  const fields = [...document.querySelectorAll('input')].filter(field => field.getClientRects().length > 0);
  const found = fields.findLast(field => field.getAttribute('aria-label') === label || [...field.labels].some(own => own.textContent.trim() === label));
  if (!found) return false;
  found.focus();
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(found, text);
  found.dispatchEvent(new InputEvent('input', { bubbles: true }));
  return true;`;

test('open, edit, review, download', async () => {
  test.skip(DRIVER === '', 'no WebKit is here, or this is not the run of a release: name WebKitWebDriver in SWITCHYARD_WEBKIT');
  test.setTimeout(300_000);
  const webkit = await WebKit.start(DRIVER);
  const does = (script: string, ...args: string[]): Promise<void> => expect.poll(() => webkit.ask<boolean>(script, ...args), PATIENCE).toBe(true);
  const says = (words: string): Promise<void> => expect.poll(() => webkit.ask<string>('return document.body.innerText'), PATIENCE).toContain(words);
  try {
    const dir = fixture('harbor');
    await webkit.open(UNDER_A_PATH);
    await does('return document.querySelector("#boot") === null');
    await webkit.upload('#catalog-files', Object.keys(tree(dir)).map(file => path.join(dir, file)));
    await says(PASSES);
    await does(PRESS, '[aria-label=Packages] [role=listitem], [aria-label=Packages] li', 'anchor-operator');
    await does('return document.querySelector("[aria-label=\'Upgrade graph of anchor-operator\']") !== null');
    await webkit.ask('document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "k", ctrlKey: true, bubbles: true }))');
    await does(FILL, 'Command palette', 'Set default channel');
    await does(`
      const option = [...document.querySelectorAll('[role=option]')].find(option => option.textContent.includes('Set default channel'));
      option?.dispatchEvent(new MouseEvent('mousedown', { bubbles: true }));
      option?.click();
      return option !== undefined;`);
    await does(FILL, 'Channel', 'candidate');
    await does(`return document.querySelector('[aria-label=Preview]')?.textContent.includes('candidate') === true`);
    await does(PRESS, 'button', 'Apply');
    await does(`return document.querySelector('dialog[open]') === null`);
    await does(PRESS, 'button', 'Review and save');
    await does(`return document.querySelector('dialog[open]')?.textContent.includes('defaultChannel: candidate') === true`);
    // What would be downloaded: the driver has no folder for it.
    await webkit.ask(`
      window.__downloads = [];
      const create = URL.createObjectURL;
      URL.createObjectURL = blob => { blob.text().then(text => window.__downloads.push(text)); return create(blob); };`);
    await does(PRESS, 'button', 'More ways to save');
    await does(PRESS, '[role=menuitem]', 'Download patch');
    await expect.poll(() => webkit.ask<string>('return window.__downloads.join()'), PATIENCE).toContain('+defaultChannel: candidate');
    expect(fs.existsSync(dir)).toBe(true);
  } finally {
    await webkit.end();
  }
});
