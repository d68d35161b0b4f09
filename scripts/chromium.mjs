// The Chromium that browser tests use: Playwright's own if it's installed, otherwise the system's.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { environment, root, say, UserError } from './bootstrap.mjs';

const systemNames = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
const shellName = 'chromium-headless-shell';

/**
 * Returns the path of a Chromium, and installs Playwright's if there is none. If that fails, throws an
 * error with the command to run.
 */
export function chromium(node) {
  const found = process.env.PORTICO_CHROMIUM ?? playwrights() ?? systems();
  if (found) return found;
  say('no Chromium found, installing the one of Playwright (once)');
  const cli = join(root, 'node_modules', 'playwright', 'cli.js');
  const outcome = spawnSync(node, [cli, 'install', 'chromium'], {
    stdio: 'ignore',
    timeout: 300_000,
    env: environment(node),
  });
  const path = outcome.status === 0 ? playwrights() : null;
  if (path) return path;
  throw new UserError(
    'browser tests need Chromium: run "apt-get install chromium" (or "npx playwright install chromium").',
  );
}

/** For tests, prefers Debian's Chromium without windows, which needs a third less processor time for the same pages. */
export const headlessChromium = (node) => process.env.PORTICO_CHROMIUM ?? onPath(shellName) ?? chromium(node);

function playwrights() {
  const path = createRequire(import.meta.url)('playwright').chromium.executablePath();
  return existsSync(path) ? path : null;
}

function systems() {
  const path = onPath(...systemNames);
  if (path) say(`browser tests use ${path}, because Playwright's own Chromium is not installed.`);
  return path ?? null;
}

function onPath(...names) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((file) => existsSync(file));
}
