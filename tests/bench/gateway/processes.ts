import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/** A program under test, pinned to a core if `taskset` exists. */
export interface Program {
  readonly child: ChildProcess;
  readonly id: number;
  /** Milliseconds from the start of the process to its first answer to an HTTP request, whatever the answer is. */
  readonly startMs: number;
}

interface StartOptions {
  readonly port: number;
  /** The core to run on; any core by default. */
  readonly core?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Flags for Node itself. */
  readonly flags?: readonly string[];
}

/** However the bench ends, it also ends the programs that it started. */
const living = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});

const startWithinMs = 30_000;
const maxErrorText = 2000;

/** Starts a Node program and waits until it answers on its port. */
export async function start(script: string, parameters: string[], options: StartOptions): Promise<Program> {
  const began = performance.now();
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', ...(options.flags ?? []), script];
  const [command = '', ...rest] = pinned(options.core, [...node, ...parameters]);
  const child = spawn(command, rest, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, NODE_ENV: 'production', ...options.env },
  });
  living.add(child);
  child.on('exit', () => living.delete(child));
  let complaint = '';
  child.stderr.on('data', (part: Buffer) => {
    complaint = `${complaint}${part}`.slice(-maxErrorText);
  });
  while (!(await answers(options.port))) {
    const late = performance.now() - began > startWithinMs;
    if (late) child.kill('SIGKILL');
    if (late || child.exitCode !== null)
      throw new Error(`${script} did not start: ${/^.*Error: .*$/m.exec(complaint)?.[0] ?? complaint}`);
    await pause(2);
  }
  return { child, id: child.pid ?? 0, startMs: performance.now() - began };
}

export async function stop({ child }: Program): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** Moves this process, which makes the load, to a core. Does nothing if `taskset` doesn't exist. */
export function moveTo(core: number): void {
  try {
    execFileSync('taskset', ['-a', '-c', '-p', String(core), String(process.pid)], { stdio: 'ignore' });
  } catch {
    process.stderr.write('taskset is missing: the programs share all cores, figures are rougher.\n');
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request({ port, host: '127.0.0.1', path: '/', agent: false }, (answer) => {
      answer.destroy();
      resolve(true);
    });
    asked.on('error', () => resolve(false)).end();
  });
}

/** A program started by a pinned process would inherit its core, so every program is given the cores it may use. */
function pinned(core: number | undefined, command: string[]): string[] {
  const cores = core === undefined ? '0-1023' : String(core);
  try {
    execFileSync('taskset', ['-c', cores, 'true'], { stdio: 'ignore' });
    return ['taskset', '-c', cores, ...command];
  } catch {
    return command;
  }
}
