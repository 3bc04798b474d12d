// How long the worker takes for a search, by its own clock, for each prefix of some typed texts. Numbers are printed,
// never asserted.
import { reportTimes } from './report';
import { corpus, expect, openFolder, test } from '../harness';

const TYPED = ['strimzi-kafka-operator', 'kafka stable', 'KafkaTopic', 'v1.2.3', 'prmetheus', 'quay.io/operatorhubio', 'entry-without-bundle'];

test('a search in operatorhub', async ({ page }) => {
  test.setTimeout(900_000);
  await openFolder(page, corpus('operatorhub'));
  await page.keyboard.press('ControlOrMeta+k');
  const dialog = page.getByRole('dialog', { name: 'Command palette' });
  const countSearches = () => page.evaluate(() => performance.getEntriesByName('search').length);
  await expect.poll(countSearches).toBe(1);
  const [first = NaN] = await page.evaluate(() => performance.getEntriesByName('search').map(entry => entry.duration));
  console.log(`operatorhub: the first search, which builds the index, ${first.toFixed(1)} ms`);
  await page.evaluate(() => performance.clearMeasures('search'));
  let asked = 0;
  for (const text of TYPED) {
    // The palette opens empty; clearing an empty field does not search again.
    if (asked > 0) {
      await dialog.getByRole('combobox').fill('');
      await expect.poll(countSearches).toBe(++asked);
    }
    for (const letter of text) {
      await page.keyboard.type(letter);
      await expect.poll(countSearches).toBe(++asked);
    }
  }
  reportTimes('operatorhub: a search in the worker', await page.evaluate(() => performance.getEntriesByName('search').map(entry => entry.duration)));
});
