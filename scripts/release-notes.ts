// `npm run package -- --notes VERSION` prints CHANGELOG.md's section of a version, as the text of its release.
import { readFileSync } from 'node:fs';

const howToInstall = 'How to install, and how to check what was downloaded: see *Install* in the README.';

/** Returns the section of this version without its heading. Throws if there is none. */
export function getNotes(changelog: string, version: string): string {
  const heading = new RegExp(`^## \\[?${version.replaceAll('.', '\\.')}\\]?(?: .*)?$`, 'm').exec(changelog);
  if (!heading) throw new Error(`CHANGELOG.md has no section "## ${version}".`);
  const [section = ''] = changelog.slice(heading.index + heading[0].length).split(/^## /m);
  return `${section.trim()}\n\n${howToInstall}\n`;
}

if (import.meta.main) {
  const version = process.argv[2]?.replace(/^v/, '');
  const changelog = readFileSync(new URL('../CHANGELOG.md', import.meta.url), 'utf8');
  try {
    if (!version) throw new Error('Name the version: npm run package -- --notes 1.2.3');
    process.stdout.write(getNotes(changelog, version));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
