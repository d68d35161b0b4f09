import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
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

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** Processor time that the program has used so far, user and system, in microseconds. */
export function cpuMicroseconds({ child }: Program): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1e6;
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
