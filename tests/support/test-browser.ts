import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright';

/** The Chromium that `npm test` names, Playwright's own, or the system's. */
const path = [
  process.env.PORTICO_CHROMIUM ?? '',
  chromium.executablePath(),
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
].find(existsSync);

/** Whether this machine has one; a file without it says what it skips. */
export function hasBrowser(what: string): boolean {
  if (!path) console.warn(`${what} skipped: no Chromium is installed.`);
  return path !== undefined;
}

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: path ?? '', args: ['--no-sandbox'] });
