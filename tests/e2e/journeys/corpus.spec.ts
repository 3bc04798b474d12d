// Opens real catalogs, if they are available. `real.spec.ts` opens and edits others.
import { choosePackage, corpus, expect, graph, openFolder, test, verdict } from '../harness';

const FOLDERS: [string, RegExp, string][] = [
  ['operatorhub', /Fails opm validate/, 'strimzi-kafka-operator'],
  ['scale', /opm validate/, 'scaleops-operator'],
  ['split/securesign', /opm validate/, 'rhtas-operator'],
];

for (const [folder, says, name] of FOLDERS) {
  test(`${folder} opens`, async ({ page }) => {
    await openFolder(page, corpus(folder));
    await expect(verdict(page)).toHaveText(says);
    await choosePackage(page, name);
    await expect(graph(page).getByRole('button', { name: / in / }).first()).toBeVisible();
    const open = await page.evaluate(() => performance.getEntriesByType('measure').filter(m => m.name === 'verdict').at(-1)?.duration);
    console.log(`${folder}: verdict after ${Math.round(open ?? NaN)} ms`);
  });
}
