import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright';

/** The Chromium that `npm test` names, Playwright's own, or the system's. */
const path = [
  process.env.PORTICO_CHROMIUM ?? '',
  chromium.executablePath(),
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
].find(existsSync);

/** Returns whether this machine has a Chromium. If not, prints which tests are skipped. */
export function hasBrowser(skipped: string): boolean {
  if (!path) console.warn(`${skipped} skipped: no Chromium is installed.`);
  return path !== undefined;
}

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: path ?? '', args: ['--no-sandbox'] });
