import { defineConfig } from '@playwright/test';
import { keepTemporaryFilesInMemory } from './tests/support/memory-folder.ts';

keepTemporaryFilesInMemory();

/**
 * Each project has an output folder of its own: a run empties its projects' folders, and one project's failures must
 * survive the next project's run.
 */
const getOutput = (project: string) => `test-results/e2e-${project}`;

/** End-to-end tests of the built app: `web` runs in a browser on the web host, `electron` in real windows. */
export default defineConfig({
  testDir: 'tests/e2e',
  // These limits are for tests that hang, not for slow ones.
  timeout: 300_000,
  expect: { timeout: 60_000 },
  // Each test starts an app of its own, and half of the time waits for it and its answers. So four
  // workers keep two cores busy.
  workers: 4,
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  retries: 0,
  reporter: process.env.PLAYWRIGHT_JSON_OUTPUT_FILE ? [['list'], ['json']] : 'list',
  use: {
    launchOptions: {
      ...(process.env.PORTICO_CHROMIUM ? { executablePath: process.env.PORTICO_CHROMIUM } : {}),
      args: [
        // As root, as in containers, Chromium can't use its own sandbox.
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
        // A page lives for seconds: optimizing its code would take more processor time than it
        // saves, a tenth of the total.
        '--js-flags=--no-turbofan --no-maglev',
      ],
    },
    viewport: { width: 1280, height: 800 },
    // Recording takes a fifth of the time of both processors.
    trace: process.env.PORTICO_TRACE ? 'retain-on-failure' : 'off',
    screenshot: 'only-on-failure',
    locale: 'en-US',
    timezoneId: 'UTC',
  },
  projects: [
    { name: 'web', testMatch: /.*\.(spec|web)\.ts/, outputDir: getOutput('web') },
    // These tests run Node for Windows under wine, one app at a time, because each of its programs needs a processor.
    {
      name: 'windows',
      testDir: 'tests/windows',
      testMatch: /.*\.windows\.ts/,
      outputDir: getOutput('windows'),
      workers: 2,
    },
    // On a real screen, windows would take the focus from each other, so only one worker runs.
    {
      name: 'electron',
      outputDir: getOutput('electron'),
      testMatch: /.*\.(spec|electron)\.ts/,
      workers: process.env.PORTICO_VIRTUAL_DISPLAYS ? 3 : 1,
    },
  ],
});
