// Benchmarks of the page: run like the journeys, but one at a time, from their own folder, and without a trace, which
// would be measured too.
import journeys from './playwright.config.mjs';

export default { ...journeys, workers: 1, testDir: './bench', testMatch: '*.bench.ts', use: { ...journeys.use, trace: 'off' } };
