import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** `npm ci` installs exactly what the lock file names, so every binary for every platform has to be in it. */

interface Locked {
  version?: string;
  optionalDependencies?: Record<string, string>;
  os?: string[];
  cpu?: string[];
  libc?: string[];
}
type Packages = Record<string, Locked>;

const platforms = [
  ['darwin', 'arm64'],
  ['darwin', 'x64'],
  ['win32', 'x64'],
  ['win32', 'arm64'],
  ['linux', 'x64'],
  ['linux', 'arm64'],
] as const;

const root = new URL('../', import.meta.url);
const packages: Packages = JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8')).packages;

/** Returns the package that `path` gets when it imports `name`, resolved as Node does. */
function found(all: Packages, path: string, name: string): Locked | undefined {
  const folders = path
    .split('/node_modules/')
    .map((_, depth, parts) => parts.slice(0, depth + 1).join('/node_modules/'));
  return [...folders.reverse().map((folder) => `${folder}/node_modules/${name}`), `node_modules/${name}`]
    .map((place) => all[place])
    .find((locked) => locked !== undefined);
}

/** Returns the packages whose optional dependencies are one native binary for each platform. */
function families(all: Packages) {
  return Object.entries(all).flatMap(([path, { optionalDependencies = {} }]) => {
    const binaries = Object.entries(optionalDependencies).map(([name, version]) => ({
      name,
      version,
      locked: found(all, path, name),
    }));
    const native = binaries.some(({ name, locked }) => locked?.cpu || /darwin|win32/.test(name));
    return native && binaries.length > 1 ? [{ path, binaries }] : [];
  });
}

const serves = ({ os, cpu, libc }: Locked, [system, processor]: (typeof platforms)[number]) =>
  os?.includes(system) && cpu?.includes(processor) && (libc?.includes('glibc') ?? true);

/** Describes every binary that the lock file should contain and doesn't. */
function missingBinaries(all: Packages): string[] {
  return families(all).flatMap(({ path, binaries }) => [
    ...binaries
      .filter(({ version, locked }) => /^\d/.test(version) && locked && locked.version !== version)
      .map(({ name, version, locked }) => `${path} needs ${name} ${version}, not ${locked?.version}`),
    ...platforms
      .filter((platform) => !binaries.some(({ locked }) => locked && serves(locked, platform)))
      .map((platform) => `${path} has no binary for ${platform.join(' ')}`),
  ]);
}

test('the lock file names the binaries of every package for every platform', () => {
  expect(missingBinaries(packages)).toEqual([]);
});

test('the packages for building, checking and running the app are among them', () => {
  const names = families(packages).map(({ path }) => path.split('node_modules/').at(-1));
  expect(names).toEqual(
    expect.arrayContaining([
      'rolldown',
      'lightningcss',
      '@tailwindcss/oxide',
      '@biomejs/biome',
      'typescript',
      'keytar',
    ]),
  );
});

test.each(platforms)('a missing binary for %s %s is found in every package', (...platform) => {
  for (const { path, binaries } of families(packages)) {
    const taken = binaries.flatMap(({ locked }) => (locked && serves(locked, platform) ? [locked] : []));
    const remaining = Object.fromEntries(Object.entries(packages).filter(([, locked]) => !taken.includes(locked)));
    expect(missingBinaries(remaining)).toContain(`${path} has no binary for ${platform.join(' ')}`);
  }
});

test('a binary with another version than its package is found', () => {
  const [path, locked] = Object.entries(packages).find(([name]) => name.endsWith('/binding-darwin-arm64')) ?? [''];
  expect(missingBinaries({ ...packages, [path]: { ...locked, version: '0.0.1' } })).toContainEqual(
    expect.stringContaining(`not 0.0.1`),
  );
});

test.each(platforms)('better-sqlite3 contains its binary for %s %s', (os, cpu) => {
  const binary = fileURLToPath(new URL(`node_modules/better-sqlite3/prebuilds/${os}-${cpu}.node`, root));
  expect(statSync(binary).size).toBeGreaterThan(100_000);
});
