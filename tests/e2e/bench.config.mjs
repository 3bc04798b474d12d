// Benchmarks of the page: as the journeys run, from a folder of their own.
import journeys from './playwright.config.mjs';

export default { ...journeys, testDir: './bench', testMatch: '*.bench.ts' };
