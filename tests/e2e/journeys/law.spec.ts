// Random work keeps one law: forms, typing, undo, saves, files that change on disk, a second tab, workers and pages
// killed at any moment. The page, its journal, its patch and the disk after a save agree; nothing that was shown for
// half a second is lost; no text is moved.
import { test } from '../harness';
import { catalog } from '../law/catalog';
import { Choices } from '../law/choices';
import { Work } from '../law/work';

const SEED = Number(process.env.SWITCHYARD_SEED ?? 20261123);
const RUNS = Number(process.env.SWITCHYARD_LAW_RUNS ?? 1);
const ACTS = Number(process.env.SWITCHYARD_LAW_ACTS ?? 10);

// Its own browser: a killed page ends the process that shared pages have in common.
test.use({ profile: 'own', guards: { write: 1, read: 1 } });

for (let run = 0; run < RUNS; run++) {
  const seed = SEED + run;
  test(`random work keeps the law, seed ${seed}`, async ({ page, context }) => {
    test.setTimeout(60_000 + ACTS * 30_000);
    const choices = new Choices(seed);
    const work = new Work(context, page, choices, catalog());
    await work.open();
    try {
      for (let acts = 0; acts < ACTS;) {
        for (let more = 1 + choices.below(3); more > 0 && acts < ACTS; more--, acts++) await work.act();
        await work.check();
      }
    } catch (broken) {
      console.log(`seed ${seed}\n${work.log.join('\n')}`);
      throw broken;
    }
    console.log(`seed ${seed}: ${JSON.stringify(work.counts)}`);
  });
}
