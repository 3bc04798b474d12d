import { chromium } from '@playwright/test';
const base = process.argv[2]; const out = '/tmp/shots20';
const only = process.argv[3] ? new RegExp(process.argv[3]) : /./;
const sizes = [[1440, 900], [1280, 720]];
const themes = ['light', 'dark'];
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium' });
const OPER = '/work/shared/corpus/' + (process.env.CORPUS ?? 'community/v4.20');
const FIX = '/work/wt-use20/tests/data/catalogs/';
const open = async (page, dir) => {
  await page.goto(base);
  await page.getByLabel('Catalog folder').setInputFiles(dir);
  await page.getByRole('status', { name: 'Verdict' }).filter({ hasText: /^(Passes|Fails)/ }).waitFor({ timeout: 60000 });
  await page.waitForTimeout(900);
};
const pick = async (page, name) => {
  await page.getByRole('searchbox', { name: 'Search packages' }).fill(name);
  await page.getByRole('list', { name: 'Packages' }).getByRole('listitem', { name: new RegExp('^' + name) }).first().getByRole('button').first().click();
  await page.waitForTimeout(900);
};
const cmd = async (page, name) => {
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('dialog', { name: 'Command palette' }).getByRole('combobox').fill(name);
  await page.keyboard.press('Enter');
  await page.waitForTimeout(500);
};
const fillIn = async (form, label, text) => {
  const f = form.getByLabel(label, { exact: true });
  await f.fill(text); await f.press('Tab');
};
const tab = (page, name) => page.getByRole('tab', { name }).click().then(() => page.waitForTimeout(900));
const v420 = async page => { await page.getByRole('list', { name: 'Catalogs' }).getByRole('listitem', { name: /^v4.20/ }).getByRole('button').first().click(); await page.waitForTimeout(500); };
const removeForm = async page => {
  await cmd(page, 'Remove entry');
  const form = page.getByRole('dialog', { name: /Remove entry/ });
  await fillIn(form, 'Channel', 'stable'); await fillIn(form, 'Entry', 'beacon-operator.v1.3.0');
  await page.waitForTimeout(1500);
  return form;
};
const states = {
  '01-start': async page => { await page.goto(base); await page.waitForTimeout(800); },
  '02-graph-small': async page => { await page.goto(base); await page.getByRole('button', { name: 'Try a sample' }).click(); await page.waitForTimeout(2500); },
  '03-graph-large': async page => { await open(page, OPER); await pick(page, process.env.BIG ?? 'sailoperator'); },
  '04-selection': async page => { await open(page, FIX + 'beacon'); await v420(page); await pick(page, 'beacon-operator'); await page.getByRole('region', { name: /^Upgrade graph/ }).locator('.car.head').first().click(); await page.waitForTimeout(900); },
  '05-form': async page => { await open(page, FIX + 'beacon'); await v420(page); await pick(page, 'beacon-operator'); await removeForm(page); },
  '06-last-edit': async page => { await open(page, FIX + 'beacon'); await v420(page); await pick(page, 'beacon-operator'); const f = await removeForm(page); await f.getByRole('button', { name: /^Apply/ }).click(); await page.waitForTimeout(1500); },
  '07-review': async page => { await states['06-last-edit'](page); await cmd(page, 'Review'); await page.waitForTimeout(1800); },
  '08-compare': async page => { await open(page, FIX + 'beacon'); await v420(page); await pick(page, 'beacon-operator'); await tab(page, 'Compare'); await page.getByLabel('Users come from').selectOption({ label: 'v4.19' }); await page.waitForTimeout(1200); },
  '09-matrix': async page => { await open(page, FIX + 'beacon'); await v420(page); await pick(page, 'beacon-operator'); await tab(page, 'Compare'); await page.getByRole('group', { name: 'What is compared' }).getByText('Versions by catalogs').click(); await page.waitForTimeout(1200); },
  '10-table': async page => { await open(page, OPER); await pick(page, process.env.BIG ?? 'sailoperator'); await tab(page, 'Table'); },
  '11-source': async page => { await open(page, FIX + 'beacon'); await v420(page); await pick(page, 'beacon-operator'); await page.getByRole('region', { name: /^Upgrade graph/ }).locator('.car.head').first().click(); await tab(page, 'Source'); },
  '12-problems': async page => { await open(page, FIX + 'forked'); await page.keyboard.press('j'); await page.waitForTimeout(700); },
  '13-palette': async page => { await open(page, FIX + 'beacon'); await v420(page); await pick(page, 'beacon-operator'); await page.keyboard.press('ControlOrMeta+k'); await page.waitForTimeout(500); },
  '14-everyone': async page => { await open(page, OPER); await pick(page, process.env.BIG ?? 'sailoperator'); await tab(page, 'Everyone'); },
  '15-failing': async page => { await open(page, FIX + 'forked'); },
};
for (const [name, go] of Object.entries(states)) {
  if (!only.test(name)) continue;
  for (const theme of themes) for (const [width, height] of sizes) {
    if (process.env.FEW && (theme === 'dark' || width === 1440)) continue;
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme });
    const page = await context.newPage();
    const errors = []; page.on('pageerror', e => errors.push(String(e)));
    try { await go(page); } catch (e) { errors.push(String(e).slice(0, 300)); }
    await page.screenshot({ path: `${out}/${name}-${width}-${theme}.png` });
    const cut = await page.evaluate(() => [...document.querySelectorAll('button,span,p,h1,h2,h3,td,th,label,input,select,summary,a,code,strong')].filter(e => e.children.length === 0 && e.offsetParent && getComputedStyle(e).overflow !== 'visible' && e.scrollWidth > e.clientWidth + 1 && !e.classList.contains('visually-hidden')).map(e => `${e.className}:${(e.textContent || e.value || e.placeholder || '').slice(0, 50)}`).slice(0, 12));
    console.log(name, width, theme, errors.join(' | '), cut.length ? 'CUT ' + JSON.stringify(cut) : '');
    await context.close();
  }
}
await browser.close();
