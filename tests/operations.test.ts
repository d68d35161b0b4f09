import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { knownProviders } from '#shared/known-providers.ts';
import { gatewayProgram } from '../gateway/cli/program.ts';
import { engineTimeouts } from '../gateway/engine/engine.ts';
import { trafficMetrics } from '../gateway/operations/metrics/traffic.ts';

/** Compares the operators' guide with the code. Each must contain exactly what the other has. */

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

test('the guide lists every environment variable, and none that is not read', () => {
  const providers = knownProviders.flatMap(({ env }) => [env.key, env.baseUrl]);
  const inCode = named(code, /(?<!\$)\bPORTICO_[A-Z_]+\b/g);
  const proxies = named(read('gateway/providers/upstream/environment-proxy.ts'), /\b[A-Z]+_PROXY\b/g);
  expect(inCode.length).toBeGreaterThan(8);
  expect(proxies).toHaveLength(4);
  expect(named(firstCells(table('Environment:')), /\b[A-Z][A-Z_]+_[A-Z]+\b/g)).toEqual(
    [...inCode, ...proxies, ...providers].toSorted(),
  );
});

test('the guide lists every flag of serve, and none that is refused', async () => {
  const program = await gatewayProgram();
  const serve = program.commands.find((command) => command.name() === 'serve');
  const flags = [...program.options, ...(serve?.options ?? [])].map(({ long }) => long ?? '');
  expect(flags.length).toBeGreaterThan(5);
  expect(named(firstCells(table('Command line:')), /--[a-z-]+/g)).toEqual([...flags, '--help'].toSorted());
});

test('the help names every variable, too', async () => {
  const help = (await gatewayProgram()).helpInformation();
  for (const name of named(code, /(?<!\$)\bPORTICO_[A-Z_]+\b/g)) expect(help).toContain(name);
});

test('the guide states how long an answer may take', () => {
  const { thinking, ...plain } = engineTimeouts;
  const rows = table('The limits of an answer, in seconds, depend on')
    .split('\n')
    .map((row) => row.split('|').slice(2, 4).map(Number));
  const seconds = (plainMs: number, thinkingMs: number) => [plainMs / 1_000, thinkingMs / 1_000];
  expect(rows).toEqual([
    seconds(plain.firstEventMs, thinking.firstEventMs),
    seconds(plain.attemptMs, thinking.firstEventMs),
    seconds(plain.silentMs, thinking.silentMs),
    seconds(plain.totalMs, thinking.totalMs),
  ]);
});

test('the guide lists every metric, and none that does not exist', () => {
  const stated = [...code.matchAll(/gauge\(\s*'([a-z0-9_]+)'|name: '((?:process|portico)_[a-z_]+)'/g)].map(
    (hit) => hit[1] ?? hit[2],
  );
  const counted = trafficMetrics().metrics.map(({ name }) => name);
  expect(stated.length).toBeGreaterThan(8);
  const listed = named(firstCells(table('Each instance reports its own counts')), /\b[a-z]+_[a-z0-9_]+\b/g);
  expect(listed).toEqual([...stated, ...counted].toSorted());
});
