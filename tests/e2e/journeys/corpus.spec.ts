// Opens a large real catalog, if it is available. `real.spec.ts` opens and edits others.
import { choosePackage, corpus, expect, graph, openFolder, test, verdict } from '../harness';

test('operatorhub opens', async ({ page }) => {
  await openFolder(page, corpus('operatorhub'));
  await expect(verdict(page)).toHaveText(/Fails opm validate/);
  await choosePackage(page, 'strimzi-kafka-operator');
  await expect(graph(page).getByRole('button', { name: / in / }).first()).toBeVisible();
});
