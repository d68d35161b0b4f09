import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { knownProviders } from '#shared/known-providers.ts';
import { trafficMetrics } from '../gateway/metrics/traffic-metrics.ts';

/** What operators read and run, held against the code: neither may say more or less than the other. */

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const guide = read('docs/gateway.md');

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.startsWith('testing/'))
    .map((path) => read(join(folder, path)));
}

const code = sources('gateway').join('\n');
const table = (heading: string) => guide.split(heading)[1]?.split('\n\n')[1]?.split('\n').slice(2).join('\n') ?? '';
const named = (text: string, pattern: RegExp) => [...new Set(text.match(pattern) ?? [])].toSorted();
const firstCells = (rows: string) =>
  rows
    .split('\n')
    .map((row) => row.split('|')[1] ?? '')
    .join('\n');

test('the guide lists every variable of the environment, and none that is not read', () => {
  const providers = knownProviders.flatMap(({ env }) => [env.key, env.baseUrl]);
  const inCode = named(code, /(?<!\$)\bPORTICO_[A-Z_]+\b/g);
  expect(inCode.length).toBeGreaterThan(8);
  expect(named(firstCells(table('Environment:')), /\b[A-Z][A-Z_]+_[A-Z]+\b/g)).toEqual(
    [...inCode, ...providers].toSorted(),
  );
});

test('the guide lists every flag of serve, and none that is refused', () => {
  const allowed = /const serveOptions = \[(.*)\];\nconst everywhere = \[(.*)\];/.exec(read('gateway/cli/main.ts'));
  const flags = named(`${allowed?.[1]},${allowed?.[2]}`, /[a-z][a-z-]+/g).map((name) => `--${name}`);
  expect(flags.length).toBeGreaterThan(5);
  expect(named(firstCells(table('Command line:')), /--[a-z-]+/g)).toEqual(flags);
});

test('the help names every variable too', () => {
  for (const name of named(code, /(?<!\$)\bPORTICO_[A-Z_]+\b/g)) expect(read('gateway/cli/help.ts')).toContain(name);
});

test('the guide lists every metric, and none that is not counted', () => {
  const stated = [...code.matchAll(/gauge\(\s*'([a-z0-9_]+)'|name: '((?:process|portico)_[a-z_]+)'/g)].map(
    (hit) => hit[1] ?? hit[2],
  );
  const counted = trafficMetrics().metrics.map(({ name }) => name);
  expect(stated.length).toBeGreaterThan(8);
  const listed = named(firstCells(table('An instance tells what it did itself')), /\b[a-z]+_[a-z0-9_]+\b/g);
  expect(listed).toEqual([...stated, ...counted].toSorted());
});

interface Service {
  readonly image?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly networks?: readonly string[];
  readonly ports?: readonly string[];
  readonly stop_grace_period?: string;
  readonly depends_on?: unknown;
  readonly volumes?: readonly string[];
}

test('the composition is one that holds together: two equal instances, one door, nothing else published', () => {
  const { services, volumes } = parse(read('compose.yaml'), { merge: true }) as {
    services: Record<string, Service>;
    volumes: Record<string, unknown>;
  };
  expect(Object.keys(services)).toEqual(['postgres', 'gateway-1', 'gateway-2', 'proxy']);
  const [one, two] = [services['gateway-1'], services['gateway-2']];
  expect(one).toEqual(two);
  const known = named(code, /(?<!\$)\bPORTICO_[A-Z_]+\b/g);
  const set = Object.keys(one?.environment ?? {});
  expect(set.filter((name) => name.startsWith('PORTICO_') && !known.includes(name))).toEqual([]);
  expect(set).toEqual(
    expect.arrayContaining(['PORTICO_KEY_PEPPER', 'PORTICO_TRUSTED_PROXIES', 'PORTICO_DRAIN_NOTICE']),
  );
  expect(
    Object.entries(services)
      .filter(([, { ports }]) => ports)
      .map(([name]) => name),
  ).toEqual(['proxy']);
  const notice = Number(one?.environment?.PORTICO_DRAIN_NOTICE);
  expect(Number.parseInt(one?.stop_grace_period ?? '', 10)).toBeGreaterThan(notice + 27);
  const mounted = Object.values(services).flatMap((service) => service.volumes ?? []);
  for (const volume of mounted) {
    const [source = ''] = volume.split(':');
    if (source.startsWith('.')) expect(statSync(join(root, source)).isFile()).toBe(true);
    else expect(Object.keys(volumes)).toContain(source);
  }
  const proxy = read('build/compose/Caddyfile');
  expect(proxy).toContain('reverse_proxy gateway-1:8788 gateway-2:8788');
  expect(proxy).toContain('flush_interval -1');
  for (const name of named(proxy, /\{\$[A-Z_]+/g))
    expect(Object.keys(services.proxy?.environment ?? {})).toContain(name.slice(2));
});

test('the image is built from files that exist and that its context lets through', () => {
  const copied = [...read('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(
    (line) => line[1]?.split(' ') ?? [],
  );
  const through = read('.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'));
  expect(copied.length).toBeGreaterThan(5);
  for (const path of new Set(copied)) {
    expect(statSync(join(root, path), { throwIfNoEntry: false }), path).toBeDefined();
    expect(through).toContain(`!${path}`);
  }
});
