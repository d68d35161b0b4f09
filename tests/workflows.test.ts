import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { getNotes } from '../scripts/release-notes.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const scripts = Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts);

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}
interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions?: unknown;
  readonly jobs: Readonly<Record<string, { readonly 'timeout-minutes'?: number; readonly steps: readonly Step[] }>>;
}

const files = globSync('.github/workflows/*.yml', { cwd: root });

test('there are checks, releases and a daily audit', () => {
  expect(files.map((file) => basename(file)).toSorted()).toEqual(['audit.yml', 'check.yml', 'release.yml']);
});

describe.each(files)('%s', (file) => {
  const source = readFileSync(join(root, file), 'utf8');
  const workflow: Workflow = parse(source);
  const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);

  test('runs existing scripts, with a time limit and minimal permissions', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    for (const job of Object.values(workflow.jobs)) expect(job['timeout-minutes']).toBeLessThanOrEqual(60);
    const named = steps.flatMap(({ run = '' }) => [...run.matchAll(/npm run ([\w-]+)/g)].map(([, name]) => name));
    expect(named.filter((name) => !scripts.includes(name ?? ''))).toEqual([]);
  });

  test('installs with the build, which the next command does not repeat', () => {
    const [first] = steps.flatMap(({ run }) => (run?.startsWith('npm ') ? [run] : []));
    const packages = steps.some(({ run = '' }) => /electron\/install|--no-save/.test(run));
    if (packages) expect(first).toBe('npm run build');
  });

  test("passes Apple's key as a file", () => {
    const given = steps.flatMap(({ env = {} }) => Object.keys(env));
    expect(given).not.toContain('APPLE_API_KEY');
  });

  test("uses only GitHub's own actions, each at a fixed version", () => {
    const used = steps.flatMap(({ uses }) => uses ?? []);
    expect(used.filter((name) => !/^actions\/[\w-]+@v\d+$/.test(name))).toEqual([]);
  });

  test('a change from a fork never gets a secret', () => {
    const strangers = ['pull_request', 'pull_request_target', 'issue_comment'].filter((name) => name in workflow.on);
    expect(strangers).not.toContain('pull_request_target');
    if (strangers.length > 0) expect(source).not.toMatch(/secrets\./);
  });
});

test("packages are checked after they are made, and a release has the changelog's text", () => {
  const release = readFileSync(join(root, '.github/workflows/release.yml'), 'utf8');
  expect(release.indexOf('package -- --check')).toBeGreaterThan(release.indexOf('package -- --$'));
  expect(release).toContain('--notes-file');
  const changelog =
    '# Changelog\n\n## Unreleased\n\n## 1.2.0\n\n- New.\n\n### Fixed\n\n- Old.\n\n## 1.1.9 (2026-01-01)\n\n- Older.\n';
  expect(getNotes(changelog, '1.2.0')).toMatch(/^- New\.\n\n### Fixed\n\n- Old\.\n\nHow to install/);
  expect(getNotes(changelog, '1.1.9')).toMatch(/^- Older\.\n/);
  expect(() => getNotes(changelog, '1.2')).toThrow('no section "## 1.2"');
});

test('the repository, its homepage and its issues have the same owner', () => {
  const { repository, homepage, bugs } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const [, place] = /^github:([\w-]+\/portico)$/.exec(repository) ?? [];
  expect([homepage, bugs]).toEqual([`https://github.com/${place}#readme`, `https://github.com/${place}/issues`]);
});

test('macOS has a package for each processor and one for both', () => {
  const { mac } = parse(readFileSync(join(root, 'electron-builder.yml'), 'utf8'));
  for (const { arch } of mac.target) expect(arch.toSorted()).toEqual(['arm64', 'universal', 'x64']);
  expect(mac.artifactName).toMatch(/-\$\{arch\}\./);
});

test('packages have names without spaces, because releases would change them', () => {
  const builder = parse(readFileSync(join(root, 'electron-builder.yml'), 'utf8'));
  expect(builder.nsis.artifactName).toMatch(/-Setup-/);
  expect(JSON.stringify(builder)).not.toMatch(/artifactName":"[^"]*\s/);
});
