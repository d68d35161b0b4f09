import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import { takingTurns } from '#shared/taking-turns.ts';
import { openOperator } from '../../gateway/cli/on-database.ts';
import { runCommand } from '../../gateway/cli/program.ts';
import { builtCli } from '../support/built-cli.ts';
import { bareEnvironment } from './bare-environment.ts';
import { sharedDatabase, sharedSecrets } from './test-database.ts';

const entry = await builtCli();

const secrets = sharedSecrets();

/** Makes a folder, and an address for a ledger: in that folder, or on this run's PostgreSQL server. */
export async function workplace() {
  const directory = mkdtempSync(join(tmpdir(), 'portico-cli-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return { directory, database: await sharedDatabase(directory) };
}

export function start(args: readonly string[], env: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, [entry, ...args], {
    env: bareEnvironment({ ...secrets, ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

export async function run(args: readonly string[], env: Record<string, string> = {}) {
  const child = start(args, env);
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  const [code] = await once(child, 'close');
  return { code: code as number, stdout, stderr, last: lastLine(stdout) };
}

const inTurn = takingTurns();

/**
 * Runs a command in this process, one at a time. For tests of what a command does and prints, where a process
 * of its own doesn't matter.
 */
export const command = (args: readonly string[], env: Record<string, string> = {}): ReturnType<typeof run> =>
  inTurn(() => inThisProcess(args, env));

async function inThisProcess(args: readonly string[], env: Record<string, string>): ReturnType<typeof run> {
  const { env: own, exitCode, stdout, stderr } = process;
  const [write, writeError] = [stdout.write, stderr.write];
  const output = { stdout: '', stderr: '' };
  const collect = (where: keyof typeof output) => (text: string | Uint8Array) => {
    output[where] += text;
    return true;
  };
  try {
    process.env = bareEnvironment({ ...secrets, ...env });
    process.exitCode = 0;
    stdout.write = collect('stdout');
    stderr.write = collect('stderr');
    await runCommand(args);
    return { code: Number(process.exitCode), ...output, last: lastLine(output.stdout) };
  } finally {
    Object.assign(stdout, { write });
    Object.assign(stderr, { write: writeError });
    Object.assign(process, { env: own, exitCode });
  }
}

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1) ?? '';

/** Starts a serving process. Its first line contains its address. */
export async function serve(database: string, args: readonly string[] = [], env: Record<string, string> = {}) {
  const child = start(['serve', '--port', '0', '--db', database, ...args], env);
  onTestFinished(() => void child.kill('SIGKILL'));
  let log = '';
  child.stderr?.on('data', (chunk) => {
    log += chunk;
  });
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  reader.on('line', (line) => lines.push(line));
  await Promise.race([once(reader, 'line'), once(child, 'close')]);
  const url = /^Portico gateway on (http:\/\/127\.0\.0\.1:\d+)$/.exec(lines[0] ?? '')?.[1];
  if (!url) throw new Error(`it did not start: ${log}`);
  return { child, url, lines, log: () => log };
}

/**
 * Does quickly what the first test does with commands: makes an account with five dollars and a key with all scopes.
 */
export async function accountWithKey(database: string) {
  const { operator, close } = await openOperator({ database, env: secrets, now: Date.now, mayCreate: true });
  const { id } = await operator.createAccount({ name: 'Team' });
  await operator.grant({ accountId: id, amount: parseUsd('5') });
  const { key } = await operator.createKey({ accountId: id, scopes: ['chat', 'models', 'account'] });
  await close();
  return { id, key };
}

/** Returns the environment that makes a process run this code before its own. */
export const beforehand = (code: string) => ({
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}`,
});

export const chat = (url: string, key: string, body: object, signal?: AbortSignal) =>
  fetch(`${url}/chat`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });

export const read = async (url: string, path: string, key: string) =>
  (await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } })).json();
