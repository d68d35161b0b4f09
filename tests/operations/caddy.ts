import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, vi } from 'vitest';
import { bareEnvironment } from '../gateway-doubles/bare-environment.ts';
import { freePort } from '../support/free-port.ts';

const shipped = fileURLToPath(new URL('../../build/compose/Caddyfile', import.meta.url));

/** Returns why Caddy can't run here, or null. It needs bubblewrap, which gives it a hosts file of its own. */
export function noCaddy(): string | null {
  for (const [program, ...args] of [
    ['caddy', 'version'],
    ['bwrap', '--ro-bind', '/', '/', 'true'],
  ] as const) {
    try {
      execFileSync(program, args, { stdio: 'ignore' });
    } catch {
      return `${program} cannot be run`;
    }
  }
  return null;
}

/**
 * Starts Caddy with the unchanged Caddyfile that `compose.yaml` mounts, on a free port of this machine. `names` maps
 * the host names in it to addresses. Caddy ends with the test.
 */
export async function startCaddy(
  names: ReadonlyMap<string, string>,
): Promise<{ url: string; port: number; log(): string }> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-caddy-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [hosts, config] = [join(folder, 'hosts'), join(folder, 'Caddyfile')];
  writeFileSync(hosts, [...names].map(([name, address]) => `${address} ${name}\n`).join(''));
  // These settings are only for this machine: nobody else can reach it, and several can run at once.
  writeFileSync(config, `{\n\tadmin off\n\tdefault_bind 127.0.0.1\n}\nimport ${shipped}\n`);
  const port = await freePort();
  const machine = ['--ro-bind', '/', '/', '--dev', '/dev', '--bind', folder, folder, '--ro-bind', hosts, '/etc/hosts'];
  const command = ['--die-with-parent', '--', 'caddy', 'run', '--config', config, '--adapter', 'caddyfile'];
  const child = spawn('bwrap', [...machine, ...command], {
    env: bareEnvironment({ PORTICO_SITE: `:${port}`, HOME: folder }),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  let log = '';
  child.stderr?.on('data', (chunk) => {
    log += chunk;
  });
  await Promise.race([
    vi.waitFor(() => expect(log).toContain('serving initial configuration'), { timeout: 10_000 }),
    exited.then(() => Promise.reject(new Error(`Caddy did not start: ${log}`))),
  ]);
  return { url: `http://127.0.0.1:${port}`, port, log: () => log };
}
