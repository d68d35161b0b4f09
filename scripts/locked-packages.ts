import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** A package in `package-lock.json`. */
export interface LockedPackage {
  /** The path from the project's root, such as `node_modules/a/node_modules/b`. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  /** The SPDX name of its licence, or empty if it gives none. */
  readonly license: string;
  readonly dependencies: readonly string[];
  readonly dev: boolean;
}

interface LockEntry {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
}

export function lockedPackages(): ReadonlyMap<string, LockedPackage> {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, LockEntry>>;
  };
  const entries = Object.entries(packages).filter(([path]) => path !== '');
  return new Map(
    entries.map(([path, entry]) => [
      path,
      {
        path,
        name: entry.name ?? path.split('node_modules/').at(-1) ?? '',
        version: entry.version ?? '',
        license: entry.license ?? '',
        dependencies: Object.keys(entry.dependencies ?? {}),
        dev: entry.dev === true || entry.devOptional === true,
      },
    ]),
  );
}

/** Returns the named top-level packages with all their dependencies. Throws if one isn't in the lock file. */
export function withDependencies(names: readonly string[]): readonly LockedPackage[] {
  const locked = lockedPackages();
  const found = new Set<LockedPackage>();
  const waiting = names.map((name) => ({ name, from: '' }));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const dependency = resolved(locked, next.name, next.from);
    if (found.has(dependency)) continue;
    found.add(dependency);
    for (const name of dependency.dependencies) waiting.push({ name, from: dependency.path });
  }
  return [...found].toSorted((a, b) => a.path.localeCompare(b.path));
}

/** Resolves a name as Node does: in the nearest `node_modules` upwards. */
function resolved(locked: ReadonlyMap<string, LockedPackage>, name: string, from: string): LockedPackage {
  for (let folder = from; ; folder = folder.includes('/node_modules/') ? dirname(folder) : '') {
    const candidate = locked.get(join(folder, 'node_modules', name).replaceAll('\\', '/'));
    if (candidate) return candidate;
    if (folder === '') throw new Error(`${name} is not in package-lock.json`);
  }
}

/**
 * Returns the text of a package's licence, in the format of Vite's `build.license`. If the package contains no
 * text, it names the licence.
 */
export function getLicense({ path, name, version, license }: LockedPackage): string {
  const folder = join(root, path);
  const file = existsSync(folder) && readdirSync(folder).find((fileName) => /^(licen[cs]e|copying)\b/i.test(fileName));
  const words = file ? readFileSync(join(folder, file), 'utf8').trim() : '';
  return `## ${name} - ${version} (${license})\n\n${words || `Its package has no text of its own: its terms are ${license}.`}\n`;
}
