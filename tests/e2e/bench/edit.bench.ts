// How long an edit takes: the worker's answer, by its own clock, and the time until it is painted. Numbers are
// printed, never asserted. No debugger is attached to workers: it makes them several times slower.
import { reportTimes } from './report';
import { command, choosePackage, corpus, expect, field, openFolder, test } from '../harness';

const COUNT = Number(process.env.SWITCHYARD_BENCH_COUNT ?? 60);
const PACKAGES: [string, string, string][] = [
  ['operatorhub', 'strimzi-kafka-operator', 'stable'],
  ['operatorhub', 'mercury-operator', 'stable'],
  ['operatorhub', 'kogito-operator', 'alpha'],
];

for (const [folder, name, channel] of PACKAGES) {
  test(`an edit of ${name}`, async ({ page }) => {
    test.setTimeout(900_000);
    await openFolder(page, corpus(folder));
    await choosePackage(page, name);
    const headButtons = page.getByRole('region', { name: /^Upgrade graph of / }).getByRole('button', { name: new RegExp(` in ${channel},.*head`) });
    const [head = ''] = (await headButtons.first().getAttribute('aria-label') ?? '').split(' in ');
    const answers: number[] = [], edits: number[] = [];
    for (let n = 0; n < COUNT; n++) {
      const form = await command(page, 'Set skip range…');
      await field(form, 'Channel', channel);
      await field(form, 'Entry', head);
      await field(form, 'Skip range', `>=0.0.${n} <0.1.0`);
      await expect(form.getByRole('region', { name: 'Preview' })).toContainText(`0.0.${n}`);
      await page.evaluate(() => performance.clearMeasures());
      await form.getByRole('button', { name: 'Apply' }).click();
      await expect(form).toBeHidden();
      await expect.poll(() => page.evaluate(() => performance.getEntriesByName('edit').length)).toBe(1);
      const took = (name: string) => page.evaluate(name => performance.getEntriesByName(name)[0]?.duration ?? NaN, name);
      answers.push(await took('answer'));
      edits.push(await took('edit'));
    }
    reportTimes(`${name}: the worker's answer`, answers);
    reportTimes(`${name}: from the click to painted`, edits);
  });
}
