// Which unit tests the suite `windows` runs by Windows' own Node: those of files, paths and processes.
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

/** Programs under test have an environment of their own, without what makes wine connect (`wine.mjs`): these ask others. */
const asksOthers = [
  'adds a server with two keys that a gateway takes up while it serves',
  'takes newer prices when it starts',
  'a gateway that runs takes a signed book by the key of its configuration',
];
/** Needs the program openssl, which is there for Linux. */
const withoutOpenssl = ['gateway/cli/serve-proxy.test.ts'];

/** The test files, of all or of those whose path has one of the words. */
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

/** Leaves out, by their names, the tests of those files that cannot be run there. */
export const namesOnWindows = `^(?!.*(?:${asksOthers.join('|')}))`;
