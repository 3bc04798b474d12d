// Safety: no data is sent, no foreign script runs, nothing is lost.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { PASSES, UNDER_A_PATH, apply, choosePackage, command, entry, expect, field, fixture, openFolder, test, verdict } from '../harness';

test.describe('the whole browser', () => {
  // Its own browser: requests of the whole browser are observed.
  test.use({ profile: 'own' });

  test('a malicious catalog sends no request and runs no script', async ({ page, context }) => {
    let requestCount = 0;
    const foreignServer = http.createServer((_, answer) => { requestCount++; answer.end(); });
    await new Promise<void>(ready => foreignServer.listen(0, '127.0.0.1', () => ready()));
    const port = (foreignServer.address() as { port: number }).port;
    const requested: string[] = [];
    context.on('request', request => requested.push(request.url()));

    const dir = fixture('harbor');
    const bad = `<img src="http://127.0.0.1:${port}/a" onerror="fetch('http://127.0.0.1:${port}/b')"><script>window.__ran = 1</script>`;
    const file = path.join(dir, 'anchor-operator/catalog.yaml');
    const icon = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" onload="fetch('http://127.0.0.1:${port}/c')"><image href="http://127.0.0.1:${port}/d"/></svg>`).toString('base64');
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8')
      .replace('defaultChannel: stable ', `icon:\n  base64data: ${icon}\n  mediatype: image/svg+xml\ndefaultChannel: stable `)
      .replace('  Holds ships where they are.', `  ${bad}`));
    fs.appendFileSync(file, `---\nschema: olm.deprecations\npackage: anchor-operator\nentries:\n- reference: {schema: olm.package}\n  message: '${bad.replaceAll("'", "''")}'\n`);
    await openFolder(page, dir);
    await choosePackage(page, 'anchor-operator');
    await entry(page, 'anchor-operator.v1.2.0', 'stable').click();
    await page.getByRole('tab', { name: 'Source' }).click();
    await page.getByRole('tab', { name: 'Table' }).click();
    // The page and its workers cannot send requests themselves either.
    const fromPage = await page.evaluate(url => fetch(url).then(() => 'sent', () => 'blocked'), `http://127.0.0.1:${port}/page`);
    expect(fromPage).toBe('blocked');
    for (const worker of page.workers())
      expect(await worker.evaluate(url => fetch(url).then(() => 'sent', () => 'blocked'), `http://127.0.0.1:${port}/worker`)).toBe('blocked');
    expect(page.workers().length).toBeGreaterThan(0);
    expect(await page.evaluate(() => '__ran' in window)).toBe(false);
    // A request made by the test afterwards does arrive, as the only one.
    await fetch(`http://127.0.0.1:${port}/test`);
    expect(requestCount).toBe(1);
    const ownOrigin = new URL(UNDER_A_PATH).origin;
    const foreign = requested.filter(url => !url.startsWith(ownOrigin) && !/^(blob|data):/.test(url) && !url.includes(`:${port}/page`) && !url.includes(`:${port}/worker`));
    expect(foreign).toEqual([]);
    foreignServer.close();
  });
});

test('a dead worker is replaced, and edits and profile are restored', async ({ page }) => {
  await openFolder(page, fixture('harbor'));
  const problems = page.getByRole('region', { name: 'Problems' });
  await page.getByRole('button', { name: 'Make problems larger' }).click();
  await problems.getByLabel('Advice').selectOption('strict');
  // A rule of the strict profile.
  const strict = problems.getByRole('listitem').filter({ hasText: 'description-missing' }).first();
  await expect(strict).toBeVisible();
  await choosePackage(page, 'anchor-operator');
  const form = await command(page, 'Set default channel…');
  await field(form, 'Channel', 'candidate');
  await apply(form);
  const worker = page.workers()[0]!;
  const ended = new Promise<void>(resolve => worker.once('close', () => resolve()));
  await worker.evaluate(() => { setTimeout(() => { throw new WebAssembly.RuntimeError('unreachable'); }); });
  await ended;
  expect(page.workers()).not.toContain(worker);
  await expect(entry(page, 'anchor-operator.v1.3.0', 'candidate')).toHaveAccessibleName(/default channel/);
  await expect(page.getByRole('button', { name: /Review and save/ })).toContainText('1');
  await expect(strict).toBeVisible();
  await expect(problems.getByLabel('Advice')).toHaveValue('strict');
  const reopenedForm = await command(page, 'Deprecate…');
  await field(reopenedForm, 'Message', 'moved to another dock');
  await apply(reopenedForm);
  await expect(verdict(page)).toHaveText(PASSES);
});

test('a file that changes on disk shows the banner, and edits are kept', async ({ page }) => {
  const dir = fixture('harbor');
  await openFolder(page, dir);
  await choosePackage(page, 'crane-operator');
  const form = await command(page, 'Set default channel…');
  await field(form, 'Channel', 'stable-v1');
  await apply(form);
  const other = path.join(dir, 'buoy-operator/catalog.json');
  fs.writeFileSync(other, fs.readFileSync(other, 'utf8').replace('"defaultChannel": "alpha"', '"defaultChannel": "beta"'));
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  const banner = page.getByRole('main').getByText(/changed on disk/i).first();
  await expect(banner).toBeVisible();
  await page.getByRole('button', { name: /Reload/i }).first().click();
  await expect(banner).toBeHidden();
  await expect(page.getByRole('button', { name: /Review and save/ })).toContainText('1');
  await choosePackage(page, 'buoy-operator');
  await expect(entry(page, 'buoy-operator.v0.1.0', 'beta')).toHaveAccessibleName(/default channel/);
});
