// Benchmarks of the page: as the journeys run, one at a time and from a folder of their own.
import journeys from './playwright.config.mjs';

export default { ...journeys, workers: 1, testDir: './bench', testMatch: '*.bench.ts' };
