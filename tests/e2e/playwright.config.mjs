// How the journeys run: one file more at a time than there are cores, since journeys also wait (a host that never answers
// takes 20 s of nobody's time), against the built page served by a plain static host under a sub path, as a user's own host
// may do.
//
// `cargo dev test` builds page, host and command line and names them; a run that took what lies about would try another's.
import os from 'node:os';
import { defineConfig } from '@playwright/test';

const built = name => {
  const path = process.env[name];
  if (!path) throw new Error(`${name} is not set: run the journeys by \`cargo dev test journeys\`, or one by its name`);
  return path;
};

// Each run has ports of its own. The host says its port when it listens, and the runner puts it into the environment, under
// the group's name in capitals, before the journeys begin.
const host = (under, said) => ({
  command: `"${built('SWITCHYARD_DEV')}" host "${built('SWITCHYARD_PAGE')}" --port 0 --under ${under}`,
  wait: { stdout: new RegExp(`on http://127\\.0\\.0\\.1:(?<${said}>\\d+)/`) },
});

const report = process.env.SWITCHYARD_REPORT;

export default defineConfig({
  testDir: './journeys',
  outputDir: './results',
  // Limits for what hangs, not for what is slow: how fast the page is, its benches say.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  workers: Math.min(os.availableParallelism() + 1, 6),
  // Only where the browser itself ended: see the harness.
  retries: 1,
  forbidOnly: true,
  reporter: [['list'], ...report ? [['json', { outputFile: report }]] : []],
  use: {
    actionTimeout: 20_000,
    navigationTimeout: 30_000,
    screenshot: 'only-on-failure',
    // The page is kept where `offline.spec.ts` is about that; elsewhere each journey would store all of it for nothing.
    serviceWorkers: 'block',
    // What was done, and what the page looked like in the end. With a copy of the document at each act all journeys take a
    // quarter longer, and with a picture of every change half as long again: `-- --trace on` has both.
    trace: { mode: 'retain-on-failure', screenshots: false, snapshots: false, sources: false },
  },
  webServer: [host('/some/where/', 'switchyard_port_below'), host('/', 'switchyard_port_at_root')],
});
