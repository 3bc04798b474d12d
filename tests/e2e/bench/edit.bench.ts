// How long an edit takes in the page: the worker's answer, there and back, and the whole until it is painted. Numbers are
// printed, never asserted. Previews are counted apart: they do the same work and take it back.
import { command, choosePackage, corpus, expect, field, openFolder, test } from '../harness';
import type { Page, Worker } from '@playwright/test';

const COUNT = Number(process.env.SWITCHYARD_BENCH_COUNT ?? 60);
const PACKAGES: [string, string, string][] = [
  ['operatorhub', 'strimzi-kafka-operator', 'stable'],
  ['operatorhub', 'mercury-operator', 'alpha'],
  ['operatorhub', 'kogito-operator', 'alpha'],
];

type Timed = { onmessage: (event: MessageEvent) => void; __took: number[] };

/// From now on the host worker notes how long it is at each message.
async function timeAnswers(page: Page): Promise<Worker> {
  for (const worker of page.workers()) {
    const isHost = await worker.evaluate(() => (self as unknown as { name: string }).name !== 'indexer');
    if (!isHost) continue;
    await worker.evaluate(() => {
      const scope = self as unknown as Timed;
      const answer = scope.onmessage;
      scope.__took = [];
      scope.onmessage = event => {
        const start = performance.now();
        answer.call(self, event);
        scope.__took.push(performance.now() - start);
      };
    });
    return worker;
  }
  throw new Error('there is no host worker');
}

const told = (name: string, times: number[]): void => {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) => (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN).toFixed(1);
  console.log(`${name}: median ${at(0.5)} ms, 90 % ${at(0.9)} ms, 99 % ${at(0.99)} ms, worst ${at(1)} ms (${sorted.length})`);
};

for (const [folder, name, channel] of PACKAGES) {
  test(`an edit of ${name}`, async ({ page }) => {
    test.setTimeout(900_000);
    await openFolder(page, corpus(folder));
    await choosePackage(page, name);
    const worker = await timeAnswers(page);
    const heads = page.getByRole('region', { name: /^Upgrade graph of / }).getByRole('button', { name: new RegExp(` in ${channel},.*head`) });
    const [head = ''] = (await heads.first().getAttribute('aria-label') ?? '').split(' in ');
    const answers: number[] = [], edits: number[] = [];
    for (let n = 0; n < COUNT; n++) {
      const form = await command(page, 'Set skip range…');
      await field(form, 'Channel', channel);
      await field(form, 'Entry', head);
      await field(form, 'Skip range', `>=0.0.${n} <0.1.0`);
      await expect(form.getByRole('region', { name: 'Preview' })).toContainText(`0.0.${n}`);
      await worker.evaluate(() => { (self as unknown as Timed).__took.length = 0; });
      await page.evaluate(() => performance.clearMeasures());
      await form.getByRole('button', { name: 'Apply' }).click();
      await expect(form).toBeHidden();
      await expect.poll(() => page.evaluate(() => performance.getEntriesByName('edit').length)).toBe(1);
      // The first message after the click is the edit; views that are looked at besides ask afterwards.
      answers.push(await worker.evaluate(() => (self as unknown as Timed).__took[0] ?? NaN));
      edits.push(await page.evaluate(() => performance.getEntriesByName('edit')[0]!.duration));
    }
    told(`${name}: the worker's answer`, answers);
    told(`${name}: from the click to painted`, edits);
  });
}
