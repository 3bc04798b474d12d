// Runs one more file at a time than there are cores, since journeys also wait (a host that never answers takes 20 s
// without using a core). The built page is served by a plain static host under a sub-path, as a user's own host may
// do.
//
// `cargo dev test` builds page, host and command line and passes their paths: without them a run could test a stale
// build.
import os from 'node:os';
import { defineConfig } from '@playwright/test';

const built = name => {
  const path = process.env[name];
  if (!path) throw new Error(`${name} is not set: run the journeys by \`cargo dev test journeys\`, or one by its name`);
  return path;
};

// Each run has its own ports. The host prints its port when it listens; the runner puts it into the environment,
// under the group's name in capitals, before the journeys begin.
const host = (under, said) => ({
  command: `"${built('SWITCHYARD_DEV')}" host "${built('SWITCHYARD_PAGE')}" --port 0 --under ${under}`,
  wait: { stdout: new RegExp(`on http://127\\.0\\.0\\.1:(?<${said}>\\d+)/`) },
});

const report = process.env.SWITCHYARD_REPORT;

export default defineConfig({
  testDir: './journeys',
  outputDir: './results',
  // These limits catch hangs, not slowness: the benchmarks measure speed.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  workers: Math.min(os.availableParallelism() + 1, 6),
  retries: 0,
  forbidOnly: true,
  reporter: [['list'], ...report ? [['json', { outputFile: report }]] : []],
  use: {
    actionTimeout: 20_000,
    navigationTimeout: 30_000,
    screenshot: 'only-on-failure',
    // Only `offline.spec.ts` tests the stored page; elsewhere each journey would store all of it in vain.
    serviceWorkers: 'block',
    // A failure leaves its call log and a picture. Recording the actions as well takes a twelfth of the processor time of
    // each journey; `-- --trace on` does it.
    trace: 'off',
  },
  webServer: [host('/some/where/', 'switchyard_port_below'), host('/', 'switchyard_port_at_root')],
});
