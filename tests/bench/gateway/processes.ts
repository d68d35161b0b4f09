import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** A program under test, pinned to a core where `taskset` exists. */
export interface Program {
  readonly child: ChildProcess;
  readonly startMs: number;
}

export async function start(
  script: string,
  parameters: string[],
  options: { core: number; env?: Record<string, string>; ready: RegExp },
): Promise<Program> {
  const began = performance.now();
  const [command, ...rest] = pinned(options.core, [
    process.execPath,
    '--disable-warning=ExperimentalWarning',
    script,
    ...parameters,
  ]);
  const child = spawn(command ?? '', rest, {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...options.env },
  });
  for await (const line of createInterface(child.stdout)) {
    if (options.ready.test(line)) return { child, startMs: performance.now() - began };
  }
  throw new Error(`${script} ended before it was ready`);
}

export async function stop({ child }: Program): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** Processor time that the program's threads have used so far, user and system, in microseconds, to the nanosecond. */
export function cpuMicroseconds({ child }: Program): number {
  const threads = `/proc/${child.pid}/task`;
  return readdirSync(threads).reduce((sum, thread) => {
    const used = readFileSync(`${threads}/${thread}/schedstat`, 'utf8').split(' ')[0];
    return sum + Number(used) / 1000;
  }, 0);
}

/** Moves this process, which makes the load, to a core. Nothing where `taskset` does not exist. */
export function moveTo(core: number): void {
  try {
    execFileSync('taskset', ['-a', '-c', '-p', String(core), String(process.pid)], { stdio: 'ignore' });
  } catch {
    process.stderr.write('taskset is missing: the programs share all cores, figures are rougher.\n');
  }
}

/** Resident memory in KB. */
export function residentKb({ child }: Program): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]);
}

function pinned(core: number, command: string[]): string[] {
  try {
    execFileSync('taskset', ['-c', String(core), 'true'], { stdio: 'ignore' });
    return ['taskset', '-c', String(core), ...command];
  } catch {
    return command;
  }
}
