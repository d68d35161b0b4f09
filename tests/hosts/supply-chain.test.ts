import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { copied } from '../../scripts/asset-licenses.ts';
import { audit } from '../../scripts/audit.ts';
import { billOfMaterials, bundledIn, type Component } from '../../scripts/bill-of-materials.ts';
import { getLicense, withDependencies } from '../../scripts/locked-packages.ts';
import { builtHosts } from './built-hosts.ts';

/**
 * Tests the dependencies: their versions and sources, what they may run during installation, and the
 * licences under which they ship.
 */

interface Locked {
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly inBundle?: boolean;
  readonly hasInstallScript?: boolean;
}

const read = (file: string) =>
  JSON.parse(readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8'));
const own = read('package.json') as Record<'dependencies' | 'devDependencies', Record<string, string>> & {
  readonly allowScripts: Record<string, boolean>;
};
const packages = Object.entries(read('package-lock.json').packages as Record<string, Locked>).filter(([path]) => path);
const getName = (path: string) => path.split('node_modules/').at(-1) ?? '';

/** Packages that would run a program during installation, and why the app works without those that may not. */
const withInstallScript: Readonly<Record<string, string>> = {
  node: 'allowed: it puts the runtime of this platform where it is found',
  'electron-winstaller': 'packs for Squirrel, which is not packaged for',
  'tesseract.js': 'asks for donations',
};

/** Licences that require nothing more than their text beside the program. */
const permissive = new Set([
  ...['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'BlueOak-1.0.0', 'Unlicense', 'OFL-1.1'],
  ...['MIT OR Apache-2.0', '(MIT OR CC0-1.0)'],
]);

test("every dependency is requested in one exact version, and the lock file has the registry's hash", () => {
  const asked = Object.entries({ ...own.dependencies, ...own.devDependencies });
  expect(asked.filter(([, version]) => !/^(npm:@?[\w./-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  const loose = packages.filter(([, { integrity, inBundle }]) => !integrity?.startsWith('sha512-') && !inBundle);
  expect(loose.map(([path]) => path)).toEqual([]);
  const otherSources = packages.filter(
    ([, { resolved }]) => resolved && !resolved.startsWith('https://registry.npmjs.org/'),
  );
  expect(otherSources.map(([path]) => path)).toEqual([]);
});

test('every package with an install script is known, and only one of them may run it', () => {
  const found = packages.flatMap(([path, { hasInstallScript }]) => (hasInstallScript ? [getName(path)] : []));
  expect([...new Set(found)].toSorted()).toEqual(Object.keys(withInstallScript).toSorted());
  expect(own.allowScripts).toEqual({ node: true });
});

test('each bundled package ships with the text of its licence, and every licence is permissive', async () => {
  const { folder } = await builtHosts();
  const words = readFileSync(join(folder, 'main', 'licenses.md'), 'utf8');
  const bundled = [...words.matchAll(/^## (\S+) - (\S+) \((.+)\)$/gm)].map(([, name, version, terms = '']) => ({
    name,
    version,
    terms,
  }));
  expect(bundled.length).toBeGreaterThan(80);
  expect(bundled.filter(({ terms }) => !permissive.has(terms))).toEqual([]);
  const addons = packages.filter(([path]) => Object.keys(own.dependencies).includes(getName(path)));
  expect(addons.filter(([, { license = '' }]) => !permissive.has(license))).toEqual([]);
});

test('each package that is copied unchanged ships with its licence, too', () => {
  const all = withDependencies(copied);
  expect(all.map(({ name }) => name)).toEqual(expect.arrayContaining(['mermaid', 'tailwindcss', 'd3', 'dompurify']));
  const otherTerms = all.filter(({ license }) => !permissive.has(license));
  expect(Object.fromEntries(otherTerms.map(({ name, license }) => [name, license]))).toEqual({
    dompurify: '(MPL-2.0 OR Apache-2.0)',
    // The text of its licence is MIT.
    khroma: '',
    // NOTICE.md names where its source is.
    elkjs: 'EPL-2.0 OR GPL-3.0-or-later',
  });
  const words = all.map(getLicense);
  expect(words.filter((text) => text.includes('The MIT License') || text.length > 400).length).toBeGreaterThan(100);
  expect(words.find((text) => text.startsWith('## khroma'))).toContain('The MIT License');
});

test('the bill of materials separates what ships from what only builds, with hash and licence of each', async () => {
  const { folder } = await builtHosts();
  const { components } = await billOfMaterials(folder);
  const scoped = (scope: Component['scope']) => components.filter((component) => component.scope === scope);
  const names = (scope: Component['scope']) => scoped(scope).map(({ purl }) => purl.replace(/^pkg:npm\//, ''));
  const bundled = bundledIn(readFileSync(join(folder, 'main', 'licenses.md'), 'utf8'));
  expect(scoped('required').map(({ purl }) => purl)).toEqual(expect.arrayContaining([...bundled]));
  for (const name of ['zod', 'mermaid', 'better-sqlite3', '%40napi-rs/keyring', 'electron'])
    expect(names('required')).toContainEqual(expect.stringMatching(new RegExp(`^${name}@`)));
  for (const name of ['vitest', 'typescript', 'electron-builder'])
    expect(names('excluded')).toContainEqual(expect.stringMatching(new RegExp(`^${name}@`)));
  expect(scoped('required').length + scoped('excluded').length).toBe(components.length);
  expect(scoped('required').filter(({ hashes = [] }) => hashes.length === 0)).toEqual([]);
});

describe('the audit', () => {
  const ours = 'GHSA-aaaa-bbbb-cccc';
  const advisory = (id: string, title: string) => ({
    id,
    title,
    url: `https://github.com/advisories/${id}`,
    severity: 'high',
    vulnerable_versions: '<99.0.0',
  });

  /**
   * Runs the audit against a registry that knows these advisories, or refuses to answer. npm itself sends the request.
   */
  async function audited(accepted: readonly string[], advisories: Readonly<Record<string, object[]>> | null) {
    const registry = createServer((request, response) => {
      if (advisories === null) response.writeHead(405);
      else if (!request.url?.endsWith('/advisories/bulk')) response.writeHead(404);
      response.end(JSON.stringify(advisories ?? {}));
    });
    registry.listen(0, '127.0.0.1');
    await once(registry, 'listening');
    const cache = mkdtempSync(join(tmpdir(), 'portico-audit-'));
    onTestFinished(() => {
      registry.close();
      rmSync(cache, { recursive: true });
    });
    const { port } = registry.address() as AddressInfo;
    const asked = { npm_config_registry: `http://127.0.0.1:${port}/`, npm_config_cache: cache };
    return audit((await builtHosts()).folder, accepted, { ...process.env, ...asked });
  }

  test('reports what ships with a known vulnerability, and only counts what builds and tests', async () => {
    const zod = [advisory(ours, 'Reads too much'), advisory('GHSA-gggg-hhhh-jjjj', 'Reads too little')];
    const vitest = [advisory('GHSA-dddd-eeee-ffff', 'Tests too much')];
    const { exitCode, lines } = await audited([ours], { zod, vitest });
    expect(exitCode).toBe(1);
    expect(lines).toEqual([
      expect.stringMatching(/^high: pkg:npm\/zod@[\d.]+: Reads too little \(https:\/\/.*GHSA-gggg-hhhh-jjjj\)$/),
      expect.stringMatching(
        /^\d+ packages ship: 1 known vulnerabilities, 1 accepted; 1 in what only builds and tests$/,
      ),
    ]);
  });

  test('passes if nothing is known, and reports what could not be checked', async () => {
    expect(await audited([], {})).toMatchObject({ exitCode: 0 });
    const needless = await audited([ours], {});
    expect(needless).toEqual({ exitCode: 2, lines: [expect.stringContaining(`concerned by ${ours}`)] });
    const refused = await audited([], null);
    expect(refused).toEqual({ exitCode: 2, lines: [expect.stringContaining('405 Method Not Allowed')] });
    const misspelt = await audited(['CVE-2026-1'], {});
    expect(misspelt).toEqual({ exitCode: 2, lines: [expect.stringContaining('"CVE-2026-1"')] });
  });
});
