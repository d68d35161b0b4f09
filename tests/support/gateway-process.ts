import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { bareEnvironment } from '../gateway-doubles/bare-environment.ts';
import { builtCli } from './built-cli.ts';

export type Env = Readonly<Record<string, string>>;

export interface GatewayProcess {
  readonly child: ChildProcess;
  readonly url: string;
  /** Returns everything that the process has written to standard error so far. */
  log(): string;
  /** Sends a signal and waits until the process ends. Returns the exit code, or null if the signal ended it. */
  kill(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
}

export interface GatewayProcessOptions {
  readonly env?: Env;
  /** Further command-line arguments, after the usual ones. Of a flag that is given twice, the last one counts. */
  readonly args?: readonly string[];
  /** Options for Node itself, before the program. */
  readonly nodeOptions?: readonly string[];
  /** A program that starts all of it, such as one that enters another file system. */
  readonly within?: readonly string[];
}

/** The gateway's command line as it ships. */
export interface GatewayProgram {
  /** Starts `gateway serve` on a free port. Resolves when it prints its address. */
  start(database: string, options?: GatewayProcessOptions): Promise<GatewayProcess>;
  /** Runs one command to its end. `last` is the last line that it printed: an id or a key. */
  run(args: readonly string[], options?: GatewayProcessOptions): Promise<GatewayRun>;
}

export interface GatewayRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly last: string;
}

/** Returns the command line as it ships, built from the current sources. */
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
    // The log of hours of refused requests is longer than a string can be.
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
