import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Base, type Contender, contestant } from './contenders.ts';

/**
 * Gateways from npm that the bench compares with. They aren't dependencies: each is installed when it's first needed.
 */
const cache = fileURLToPath(new URL('../../../.cache/bench-peers/', import.meta.url));
const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const installWithinMs = 120_000;

interface Peer {
  readonly name: string;
  readonly version: string;
  /** Exact versions of its dependencies, where it doesn't work with the newest. */
  readonly overrides?: Readonly<Record<string, string>>;
}

/** Returns the package's folder. Throws if it can't be installed. */
function installed({ name, version, overrides = {} }: Peer): string {
  const prefix = join(cache, `${name.replaceAll(/\W+/g, '-').slice(1)}-${version}`);
  const folder = join(prefix, 'node_modules', name);
  if (existsSync(folder)) return folder;
  process.stderr.write(`installing ${name}@${version} into .cache/bench-peers (once, for the bench only)\n`);
  mkdirSync(prefix, { recursive: true });
  const manifest = { private: true, dependencies: { [name]: version }, overrides };
  writeFileSync(join(prefix, 'package.json'), JSON.stringify(manifest));
  try {
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    execFileSync('npm', ['install', ...quiet], { cwd: prefix, stdio: 'pipe', timeout: installWithinMs });
  } catch (error) {
    // A partial installation would be taken for a complete one the next time.
    rmSync(prefix, { recursive: true });
    throw error;
  }
  return folder;
}

/** The engine of claude-code-router: Fastify and fetch, without keys, limits or a ledger. */
const llms: Contender = {
  name: 'llms',
  needs: 'registry',
  async start({ upstreamUrl }: Base) {
    const folder = installed({ name: '@musistudio/llms', version: '1.0.53' });
    return contestant('llms', {
      script: here('peer-llms.ts'),
      parameters: (port) => [join(folder, 'dist', 'cjs', 'server.cjs'), String(port), upstreamUrl],
      target: { keys: ['none'], model: 'bench,gpt-4o-mini' },
    });
  },
};

/** Portkey's gateway: Hono and fetch, routed by headers, without keys, limits or a ledger. */
const portkey: Contender = {
  name: 'portkey',
  needs: 'registry',
  async start({ upstreamUrl }: Base) {
    // From version 1.14 on, the server below it passes headers that it can't change, and every stream ends in a 500.
    const overrides = { '@hono/node-server': '1.13.8' };
    const folder = installed({ name: '@portkey-ai/gateway', version: '1.15.2', overrides });
    return contestant('portkey', {
      script: join(folder, 'build', 'start-server.js'),
      // Otherwise it would listen on every address of the machine and forward whatever it receives.
      flags: ['--import', here('loopback-only.ts')],
      parameters: (port) => [`--port=${port}`, '--headless'],
      target: {
        keys: ['sk-bench-upstream-key'],
        model: 'gpt-4o-mini',
        headers: ['x-portkey-provider: openai', `x-portkey-custom-host: ${upstreamUrl}/v1`],
      },
    });
  },
};

export const peers: readonly Contender[] = [llms, portkey];
