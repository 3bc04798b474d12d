import { execFileSync } from 'node:child_process';
import { drop, expect, start, test } from '../harness';
test('big', async ({ page }) => {
  test.setTimeout(300_000);
  await start(page);
  await page.waitForTimeout(2000);
  const from = Date.now();
  await drop(page, ['/tmp/repo25-big']);
  await expect(page.getByRole('grid', { name: 'Operators and catalogs' })).toBeVisible({ timeout: 200_000 });
  console.log('table after', Date.now() - from);
  await expect(page.getByRole('button', { name: /passes opm validate/ }).first()).toBeVisible({ timeout: 250_000 });
  console.log('first verdict after', Date.now() - from);
  await page.waitForTimeout(5000);
  const rss = execFileSync('bash', ['-c', "ps -eo rss,args | grep -- '--type=renderer' | grep -v grep | sort -nr | head -4 | awk '{print $1/1024}'"], { encoding: 'utf8' });
  console.log('renderers MB', rss.trim().split('\n').join(' '));
  await page.screenshot({ path: '/tmp/repo25-big.png' });
});
