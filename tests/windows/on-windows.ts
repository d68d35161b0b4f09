import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test as base, expect } from '@playwright/test';
import { byWindowsNode, windowsVariables } from '../../scripts/wine.mjs';

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));

/** A program of the build, run by Node for Windows. */
export interface WindowsProgram {
  output(): string;
  errors(): string;
  /** Waits until the output matches the pattern and returns its group. */
  waitForOutput(pattern: RegExp): Promise<string>;
  /** Resolves with the exit code, or null if the program was killed. */
  ended(): Promise<number | null>;
  /** Presses Ctrl-C, as in the console. */
  interrupt(): Promise<number | null>;
  /** Ends the program as the task manager does: no handler runs. */
  kill(): Promise<void>;
}

type Start = (script: string, args: readonly string[], env?: Readonly<Record<string, string>>) => WindowsProgram;

/**
 * `folder` has a space and a letter of another alphabet in its name. Programs that `start` starts end with the test.
 */
export const test = base.extend<{ folder: string; start: Start }>({
  folder: async ({ browserName: _ }, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'portico wínё-'));
    await use(folder);
    await rm(folder, { recursive: true, force: true });
  },
  start: async ({ folder }, use) => {
    const started: WindowsProgram[] = [];
    await use((script, args, env) => {
      const program = startProgram(join(dist, script), args, join(folder, `program-${started.length}`), env);
      started.push(program);
      return program;
    });
    for (const program of started) await program.kill();
  },
});

export { expect };

function startProgram(
  script: string,
  args: readonly string[],
  printed: string,
  env: Readonly<Record<string, string>> = {},
): WindowsProgram {
  const files = [`${printed}.out`, `${printed}.err`] as const;
  const [out, err] = [openSync(files[0], 'w'), openSync(files[1], 'w')];
  const [program, ...words] = byWindowsNode(script);
  const options = { env: { ...process.env, ...windowsVariables, ...env }, stdio: ['ignore', out, err] as StdioOptions };
  const child = spawn(program, [...words, ...args], options);
  closeSync(out);
  closeSync(err);
  const output = () => readFileSync(files[0], 'utf8');
  const errors = () => readFileSync(files[1], 'utf8');
  const ended = async () => {
    if (!isOver(child)) await once(child, 'exit');
    return child.exitCode;
  };
  return {
    output,
    errors,
    ended,
    async waitForOutput(pattern) {
      const found = () => pattern.exec(output())?.[1] ?? (isOver(child) ? `it ended: ${errors()}` : '');
      await expect.poll(found).not.toBe('');
      expect(output()).toMatch(pattern);
      return found();
    },
    async interrupt() {
      child.kill('SIGINT');
      return ended();
    },
    async kill() {
      child.kill('SIGKILL');
      await ended();
    },
  };
}

const isOver = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;
