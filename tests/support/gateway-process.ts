import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { bareEnvironment } from '../gateway-doubles/bare-environment.ts';
import { builtCli } from './built-cli.ts';

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
  /** More of the command line, behind what is there; of a flag that is given twice the last one counts. */
  readonly args?: readonly string[];
  /** For Node itself, before the program. */
  readonly nodeOptions?: readonly string[];
  /** What starts all of it, such as a program that enters another file system. */
  readonly within?: readonly string[];
}

/** The gateway's command line as it ships. */
export interface GatewayProgram {
  /** `gateway serve` on a free port. Resolves when it says where it listens. */
  start(database: string, options?: GatewayProcessOptions): Promise<GatewayProcess>;
  /** One command to its end. `last` is the last line it printed: an id or a key. */
  run(args: readonly string[], options?: GatewayProcessOptions): Promise<GatewayRun>;
}

export interface GatewayRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly last: string;
}

/** The command line as it ships, built of the sources as they are. */
export async function builtGateway(): Promise<GatewayProgram> {
  const cli = await builtCli();
  return {
    start: (database, options = {}) =>
      started(spawnCli(cli, ['serve', '--port', '0', '--db', database, ...(options.args ?? [])], options)),
    run: (args, options = {}) => ended(spawnCli(cli, args, options)),
  };
}

const maxLog = 16 * 1024 * 1024;

async function started(child: ChildProcess): Promise<GatewayProcess> {
  let log = '';
  child.stderr?.on('data', (chunk) => {
    log += chunk;
    // Hours of refused requests are more than a string can hold.
    if (log.length > 2 * maxLog) log = log.slice(-maxLog);
  });
  const exited = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const first = await Promise.race([once(lines, 'line').then(([line]) => String(line)), exited.then(() => '')]);
  const url = /(http:\/\/127\.[\d.]+:\d+)$/.exec(first)?.[1];
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

async function ended(child: ChildProcess): Promise<GatewayRun> {
  const read = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk) => {
    read.stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    read.stderr += chunk;
  });
  const [code] = await once(child, 'close');
  return { ...read, code, last: read.stdout.trimEnd().split('\n').at(-1) ?? '' };
}

function spawnCli(
  cli: string,
  args: readonly string[],
  { env = {}, nodeOptions = [], within = [] }: GatewayProcessOptions,
): ChildProcess {
  const [program = '', ...rest] = [...within, process.execPath, ...nodeOptions, cli, ...args];
  return spawn(program, rest, {
    env: bareEnvironment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
