// The shortest complete task in WebKit: open, edit, review, download. Only runs before a release.
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { WebKit } from '../engines/webkit';
import { PASSES, UNDER_A_PATH, fixture, tree } from '../harness';

const DRIVER = process.env.SWITCHYARD_WEBKIT ?? '';
const POLL_OPTIONS = { timeout: 60_000, intervals: [100, 200, 500] };

/// Clicks the enabled element with this selector whose name starts with `name`; returns false if it is missing.
const PRESS = `
  const [selector, name] = arguments;
  const nameOf = element => element.getAttribute('aria-label') ?? element.textContent.trim();
  const found = [...document.querySelectorAll(selector)].find(element => nameOf(element).startsWith(name) && !element.disabled && element.getClientRects().length > 0);
  found?.click();
  return found !== undefined;`;

/// Types into the field with this label, by script; returns false if it is missing.
const FILL = `
  const [label, text] = arguments;
  const fields = [...document.querySelectorAll('input')].filter(field => field.getClientRects().length > 0);
  const found = fields.findLast(field => field.getAttribute('aria-label') === label || [...field.labels].some(element => element.textContent.trim() === label));
  if (!found) return false;
  found.focus();
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(found, text);
  found.dispatchEvent(new InputEvent('input', { bubbles: true }));
  return true;`;

test('open, edit, review, download', async () => {
  test.skip(DRIVER === '', 'no WebKit: set SWITCHYARD_WEBKIT to the path of WebKitWebDriver');
  test.setTimeout(300_000);
  const webkit = await WebKit.start(DRIVER);
  const waitForTrue = (script: string, ...args: string[]): Promise<void> => expect.poll(() => webkit.ask<boolean>(script, ...args), POLL_OPTIONS).toBe(true);
  const waitForText = (text: string): Promise<void> => expect.poll(() => webkit.ask<string>('return document.body.innerText'), POLL_OPTIONS).toContain(text);
  try {
    const dir = fixture('harbor');
    await webkit.open(UNDER_A_PATH);
    await waitForTrue('return document.querySelector("#boot") === null');
    await webkit.upload('#catalog-files', Object.keys(tree(dir)).map(file => path.join(dir, file)));
    await waitForText(PASSES);
    await waitForTrue(PRESS, '[aria-label=Packages] [role=listitem], [aria-label=Packages] li', 'anchor-operator');
    await waitForTrue('return document.querySelector("[aria-label=\'Upgrade graph of anchor-operator\']") !== null');
    await webkit.ask('document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "k", ctrlKey: true, bubbles: true }))');
    await waitForTrue(FILL, 'Command palette', 'Set default channel');
    await waitForTrue(`
      const option = [...document.querySelectorAll('[role=option]')].find(option => option.textContent.includes('Set default channel'));
      option?.dispatchEvent(new MouseEvent('mousedown', { bubbles: true }));
      option?.click();
      return option !== undefined;`);
    await waitForTrue(FILL, 'Channel', 'candidate');
    await waitForTrue(`return document.querySelector('[aria-label=Preview]')?.textContent.includes('candidate') === true`);
    await waitForTrue(PRESS, 'button', 'Apply');
    await waitForTrue(`return document.querySelector('dialog[open]') === null`);
    await waitForTrue(PRESS, 'button', 'Review and save');
    await waitForTrue(`return document.querySelector('dialog[open]')?.textContent.includes('defaultChannel: candidate') === true`);
    // Intercept the download: the driver has no folder for it.
    await webkit.ask(`
      window.__downloads = [];
      const create = URL.createObjectURL;
      URL.createObjectURL = blob => { blob.text().then(text => window.__downloads.push(text)); return create(blob); };`);
    await waitForTrue(PRESS, 'button', 'More ways to save');
    await waitForTrue(PRESS, '[role=menuitem]', 'Download patch');
    await expect.poll(() => webkit.ask<string>('return window.__downloads.join()'), POLL_OPTIONS).toContain('+defaultChannel: candidate');
    expect(fs.existsSync(dir)).toBe(true);
  } finally {
    await webkit.end();
  }
});
