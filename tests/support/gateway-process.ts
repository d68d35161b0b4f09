import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const cli = fileURLToPath(new URL('../../gateway/cli.ts', import.meta.url));

export type Env = Readonly<Record<string, string>>;

export interface GatewayProcess {
  readonly child: ChildProcess;
  readonly url: string;
  /** Everything it has written to standard error so far. */
  log(): string;
  /** Sends a signal and waits for the end. Returns the exit code, null where the signal ended it. */
  kill(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
}

export interface GatewayProcessOptions {
  readonly env?: Env;
  /** For Node itself, before the program. */
  readonly nodeOptions?: readonly string[];
}

/** `gateway serve` as an operator starts it, on a free port. Resolves when it says where it listens. */
export async function startGateway(database: string, options: GatewayProcessOptions = {}): Promise<GatewayProcess> {
  const child = spawnCli(['serve', '--port', '0', '--db', database], options);
  let log = '';
  child.stderr?.on('data', (chunk) => {
    log += chunk;
  });
  const exited = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const first = await Promise.race([once(lines, 'line').then(([line]) => String(line)), exited.then(() => '')]);
  const url = /(http:\/\/127\.0\.0\.1:\d+)$/.exec(first)?.[1];
  if (!url) throw new Error(`the gateway did not start: ${log}`);
  return {
    child,
    url,
    log: () => log,
    kill(signal) {
      child.kill(signal);
      return exited;
    },
  };
}

/** One command of `gateway` to its end. `last` is the last line it printed: an id or a key. */
export async function runGateway(args: readonly string[], options: GatewayProcessOptions = {}) {
  const child = spawnCli(args, options);
  const read = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk) => {
    read.stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    read.stderr += chunk;
  });
  const [code] = await once(child, 'close');
  return { ...read, code: code as number | null, last: read.stdout.trimEnd().split('\n').at(-1) ?? '' };
}

function spawnCli(args: readonly string[], { env = {}, nodeOptions = [] }: GatewayProcessOptions): ChildProcess {
  const { PATH = '' } = process.env;
  return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...nodeOptions, cli, ...args], {
    env: { PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
