import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { LaunchFile } from './open-external.ts';

/**
 * Leads the browser to the one-time link by a file that only this user can read: on a command line every program of
 * the machine could read the link (security page, rule 16). The file stays until the host ends, because nobody knows when a
 * browser reads it: by then its link is used or too old, and leads to the page that says how to get in.
 */
export function writeLaunchFile(
  dataFolder: string,
  link: string,
  fileName = 'open-portico.html',
): { url: LaunchFile; remove(): void } {
  const file = join(dataFolder, fileName);
  rmSync(file, { force: true });
  writeFileSync(file, page(link), { mode: 0o600, flag: 'wx' });
  return { url: pathToFileURL(file).href as LaunchFile, remove: () => rmSync(file, { force: true }) };
}

const page = (link: string) => `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<title>Portico</title>
<meta http-equiv="refresh" content="0; url=${link}">
<a href="${link}">Open Portico</a>
`;
