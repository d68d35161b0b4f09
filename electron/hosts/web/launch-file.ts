import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { LaunchFile } from './open-external.ts';

/**
 * Writes a file that leads the browser to the one-time link. Only this user can read the file, while every program on
 * the computer could read a link on the command line (security page, rule 16). The file stays until the host ends,
 * because nobody knows when a browser reads it. By then the link may be used or expired; it then leads to the page that
 * explains how to connect.
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
