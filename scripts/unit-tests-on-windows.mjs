// The unit tests that the suite `windows` runs with Node for Windows: those about files, paths and processes.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bootstrap.mjs';

const folders = [
  'gateway/storage',
  'gateway/ledger',
  'gateway/operations/backup',
  'gateway/cli',
  'electron/core/storage/database',
  'electron/hosts',
];
const files = [
  'gateway/access/auth/pepper.test.ts',
  'gateway/operations/configuration/config.test.ts',
  'electron/core/backup/recover-database.test.ts',
  'electron/core/tools/servers/consent.test.ts',
];

/**
 * These tests start programs that connect to others. Their environment lacks what lets programs under
 * wine connect (`wine.mjs`).
 */
const asksOthers = [
  'adds a server with two keys that a serving gateway adopts',
  'fetches newer prices at the start when an address is configured',
  'a running gateway accepts a signed book with the configured key',
];
/** This test needs the program openssl, which exists for Linux only. */
const withoutOpenssl = ['gateway/cli/serve-proxy.test.ts'];

/** Returns the test files, either all or those whose path contains one of the words. */
export function unitTestsOnWindows(words) {
  const found = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .filter((name) => /(?<!\.postgres)\.test\.ts$/.test(name))
      .map((name) => `${folder}/${name}`),
  );
  return [...found, ...files].filter(
    (file) => !withoutOpenssl.includes(file) && (words.length === 0 || words.some((word) => file.includes(word))),
  );
}

/** A pattern that excludes, by name, the tests in those files that can't run there. */
export const namesOnWindows = `^(?!.*(?:${asksOthers.join('|')}))`;
