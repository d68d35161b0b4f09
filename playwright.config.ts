import { defineConfig } from '@playwright/test';
import { keepTemporaryFilesInMemory } from './tests/support/memory-folder.ts';

keepTemporaryFilesInMemory();

/** A run empties the folders of its projects: what one has left of its failures must outlive the next one's. */
const getOutput = (project: string) => `test-results/e2e-${project}`;

/** Journeys through the built app: `web` in a browser on the web host, `electron` in real windows. */
export default defineConfig({
  testDir: 'tests/e2e',
  // Limits for what hangs, not for what is slow.
  timeout: 300_000,
  expect: { timeout: 60_000 },
  // Each test starts an app of its own, and waits for it and for answers half of the time: four keep two cores at work.
  workers: 4,
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  retries: 0,
  reporter: process.env.PLAYWRIGHT_JSON_OUTPUT_FILE ? [['list'], ['json']] : 'list',
  use: {
    launchOptions: {
      ...(process.env.PORTICO_CHROMIUM ? { executablePath: process.env.PORTICO_CHROMIUM } : {}),
      args: [
        // Root, as in containers, cannot use Chromium's own sandbox.
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
        // A page lives for seconds: to optimize its code takes more processor time than it saves, a tenth of all.
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
    // What Windows' own Node runs under wine: an app at a time, each of its programs wants a processor.
    {
      name: 'windows',
      testDir: 'tests/windows',
      testMatch: /.*\.windows\.ts/,
      outputDir: getOutput('windows'),
      workers: 2,
    },
    // On a screen that somebody looks at, windows would take the focus from each other.
    {
      name: 'electron',
      outputDir: getOutput('electron'),
      testMatch: /.*\.(spec|electron)\.ts/,
      workers: process.env.PORTICO_VIRTUAL_DISPLAYS ? 3 : 1,
    },
  ],
});
