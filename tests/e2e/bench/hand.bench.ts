// The time from an input event to the paint of the last change that it causes, in operatorhub: choosing a package,
// its first entry, another tab, the other lens, the palette, and the previews of a form. Numbers are printed, never
// asserted.
import type { Page } from '@playwright/test';
import { choosePackage, command, corpus, expect, field, graph, openFolder, packageItem, test } from '../harness';
import { reportTimes } from './report';

const COUNT = Number(process.env.SWITCHYARD_BENCH_COUNT ?? 20);
/// The action is complete after this time without changes. Milliseconds.
const QUIET = 400;

type Watched = Window & { __act?: { begun: number | undefined; timeToPaint: number; waits: boolean } };

/// Milliseconds from the first event of `go` to the paint of the last change of the document after it.
async function painted(page: Page, go: () => Promise<void>): Promise<number> {
  await page.evaluate(() => {
    const act: NonNullable<Watched['__act']> = { begun: undefined, timeToPaint: 0, waits: false };
    (window as Watched).__act = act;
    for (const kind of ['pointerdown', 'keydown', 'input'])
      addEventListener(kind, event => { if ((window as Watched).__act === act) act.begun ??= event.timeStamp; }, { capture: true, once: true });
    const observer = new MutationObserver(() => {
      if ((window as Watched).__act !== act) return observer.disconnect();
      if (act.begun === undefined || act.waits) return;
      act.waits = true;
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => { act.waits = false; act.timeToPaint = performance.now(); };
        port2.postMessage(0);
      });
    });
    observer.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
  });
  await go();
  const state = () => page.evaluate(() => {
    const { begun, timeToPaint, waits } = (window as Watched).__act ?? { begun: undefined, timeToPaint: 0, waits: false };
    return { took: begun === undefined || timeToPaint === 0 ? NaN : timeToPaint - begun, still: timeToPaint > 0 && !waits ? performance.now() - timeToPaint : 0 };
  });
  await expect.poll(async () => (await state()).still, { intervals: [100], timeout: 30_000 }).toBeGreaterThan(QUIET);
  return (await state()).took;
}

test('user actions in operatorhub', async ({ page }) => {
  test.setTimeout(1_800_000);
  await page.setViewportSize({ width: 1440, height: 900 });
  await openFolder(page, corpus('operatorhub'));
  const items = page.getByRole('list', { name: 'Packages' }).getByRole('listitem');
  const names = (await items.evaluateAll(all => all.map(item => item.getAttribute('aria-label')?.split(',')[0] ?? '')))
    .filter(Boolean);
  // Spread over the alphabet; the largest packages come last.
  const every = Math.max(1, Math.floor(names.length / COUNT));
  const chosen = [...names.filter((_, at) => at % every === 0).slice(0, COUNT - 2), 'kogito-operator', 'strimzi-kafka-operator'];
  const figures = new Map<string, number[]>();
  const note = async (what: string, go: () => Promise<void>) => {
    figures.set(what, [...figures.get(what) ?? [], await painted(page, go)]);
  };
  const lens = page.getByRole('group', { name: 'Lens' });
  for (const name of chosen) {
    await page.getByRole('searchbox', { name: 'Search packages' }).fill(name);
    await expect(packageItem(page, name)).toBeVisible();
    await note('another package', () => packageItem(page, name).click());
    await expect(graph(page)).toHaveAccessibleName(`Upgrade graph of ${name}`);
    const headButtons = graph(page).getByRole('button', { name: / in .*head/ });
    // The pointer leaves: the card of a hovered entry appears after a pause, which the press does not cause.
    if (await headButtons.count() > 0) await note('the first entry of a package', async () => {
      await headButtons.first().click({ force: true });
      await page.mouse.move(0, 0);
    });
    for (const tab of ['Table', 'Source', 'Graph'])
      await note(`tab: ${tab}`, () => page.getByRole('tab', { name: tab, exact: true }).click());
    await note('the other lens', () => lens.getByText('OLM v1').click());
    await note('the other lens', () => lens.getByText('Classic (v0)').click());
    await note('the palette', () => page.keyboard.press('ControlOrMeta+k'));
    await page.keyboard.press('Escape');
  }
  for (const name of ['strimzi-kafka-operator', 'kogito-operator']) {
    await choosePackage(page, name);
    const head = graph(page).getByRole('button', { name: / in .*head/ }).first();
    const [entry = '', rest = ''] = (await head.getAttribute('aria-label') ?? '').split(' in ');
    const form = await command(page, 'Set skip range…');
    await field(form, 'Channel', rest.split(',')[0] ?? '');
    await field(form, 'Entry', entry);
    await note('the first preview of a form', () => field(form, 'Skip range', '>=0.0.1 <0.1.0'));
    await expect(form.getByRole('region', { name: 'Preview' })).toContainText('0.0.1');
    for (let n = 0; n < COUNT; n += 1)
      await note('a preview', () => form.getByLabel('Skip range', { exact: true }).fill(`>=0.0.${n + 2} <0.1.0`));
    await form.getByRole('button', { name: 'Cancel' }).click();
    await expect(form).toBeHidden();
  }
  for (const [what, ms] of figures) reportTimes(`operatorhub, event to paint: ${what}`, ms);
});
