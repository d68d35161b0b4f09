import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Target } from './load.ts';
import { type Program, start } from './processes.ts';

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const cli = here('../../../dist/gateway/cli.js');
const gatewayCore = 0;
/** As many as the load needs to stay below the limits of each. */
const keyCount = 24;

export interface Contender {
  readonly name: string;
  /** The model under which this one reaches the upstream. */
  readonly model: string;
  /** No byte of an answer leaves before what is set aside for it is on the disk. */
  readonly syncsFirst: boolean;
  /** Starts it fresh on a port, in front of the upstream. */
  start(port: number, upstreamPort: number, folder: string): Promise<{ program: Program; target: Target }>;
}

const model = 'openai/gpt-4o-mini';
const upstreamUrl = (port: number) => `http://127.0.0.1:${port}`;

const rawUndici: Contender = {
  name: 'raw-undici',
  model,
  syncsFirst: false,
  async start(port, upstream) {
    const program = await start(here('raw-undici.ts'), [String(port), upstreamUrl(upstream)], {
      core: gatewayCore,
      ready: /ready/,
    });
    return { program, target: { port, keys: ['none'] } };
  },
};

const rawMeter: Contender = {
  name: 'raw-meter',
  model,
  syncsFirst: false,
  async start(port, upstream, folder) {
    const key = 'raw-meter-key';
    const parameters = [String(port), upstreamUrl(upstream), join(folder, 'raw-meter.log'), key];
    const program = await start(here('raw-meter.ts'), parameters, { core: gatewayCore, ready: /ready/ });
    return { program, target: { port, keys: [key] } };
  },
};

const portico: Contender = {
  name: 'portico',
  model,
  syncsFirst: true,
  async start(port, upstream, folder) {
    const db = join(folder, 'gateway.db');
    for (const end of ['', '-wal', '-shm', '.lock']) rmSync(`${db}${end}`, { force: true });
    const operator = (...words: string[]) =>
      execFileSync(process.execPath, [cli, ...words, '--db', db], { encoding: 'utf8' })
        .trim()
        .split('\n')
        .at(-1) ?? '';
    const account = operator('account', 'create', '--name', 'bench', '--plan', 'enterprise');
    operator('credit', 'grant', account, '1000000');
    const keys = Array.from({ length: keyCount - 1 }, () => operator('key', 'create', account));
    const first = operator('key', 'create', account);
    const env = { OPENAI_API_KEY: 'sk-bench-upstream-key', OPENAI_BASE_URL: `${upstreamUrl(upstream)}/v1` };
    const program = await start(cli, ['serve', '--port', String(port), '--db', db], {
      core: gatewayCore,
      env,
      ready: /Portico gateway on/,
    });
    return { program, target: { port, keys: [first, ...keys] } };
  },
};

export const contenders: readonly Contender[] = [rawUndici, rawMeter, portico];
