// How the journeys run: two files at a time (two cores), against the built page served by a plain static host under a
// sub path, as a user's own host may do.
import { defineConfig } from '@playwright/test';

const dev = process.env.SWITCHYARD_DEV ?? '../../target/debug/dev';
const built = process.env.SWITCHYARD_PAGE ?? '../../dist';
const host = (port, under) => ({
  command: `${dev} host ${built} --port ${port} --under ${under}`,
  url: `http://127.0.0.1:${port}${under}`,
  // Another's server may serve another page.
  reuseExistingServer: false,
});

const report = process.env.SWITCHYARD_REPORT;

export default defineConfig({
  testDir: './journeys',
  outputDir: './results',
  timeout: 60_000,
  expect: { timeout: 10_000 },
  workers: 2,
  // Only where the browser itself ended: see the harness.
  retries: 1,
  forbidOnly: true,
  reporter: [['list'], ...report ? [['json', { outputFile: report }]] : []],
  use: { actionTimeout: 10_000, navigationTimeout: 15_000, screenshot: 'only-on-failure' },
  webServer: [host(4173, '/some/where/'), host(4174, '/')],
});
