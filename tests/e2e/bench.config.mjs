// Benchmarks of the page: as the journeys run, one at a time and from a folder of their own. A trace would be measured too.
import journeys from './playwright.config.mjs';

export default { ...journeys, workers: 1, testDir: './bench', testMatch: '*.bench.ts', use: { ...journeys.use, trace: 'off' } };
