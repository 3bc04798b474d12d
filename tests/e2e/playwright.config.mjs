// How the journeys run: two files at a time (two cores), against the built page served by a plain static host under a
// sub path, as a user's own host may do.
import { defineConfig } from '@playwright/test';

const dev = process.env.SWITCHYARD_DEV ?? '../../target/debug/dev';
const host = (port, under) => ({
  command: `${dev} host ../../dist --port ${port} --under ${under}`,
  url: `http://127.0.0.1:${port}${under}`,
  reuseExistingServer: !process.env.CI,
});

export default defineConfig({
  testDir: './journeys',
  outputDir: './results',
  timeout: 60_000,
  expect: { timeout: 10_000 },
  workers: 2,
  retries: 0,
  reporter: [['list']],
  use: { actionTimeout: 10_000, navigationTimeout: 15_000 },
  webServer: [host(4173, '/some/where/'), host(4174, '/')],
});
