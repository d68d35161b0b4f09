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

/** A folder, and where books can be made: in it, or on this run's server. */
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

/** The same in this process, in its turn: for what a command does and says, where its process is not the subject. */
export const command = (args: readonly string[], env: Record<string, string> = {}): ReturnType<typeof run> =>
  inTurn(() => inThisProcess(args, env));

async function inThisProcess(args: readonly string[], env: Record<string, string>): ReturnType<typeof run> {
  const { env: own, exitCode, stdout, stderr } = process;
  const [write, tell] = [stdout.write, stderr.write];
  const said = { stdout: '', stderr: '' };
  const collect = (where: keyof typeof said) => (text: string | Uint8Array) => {
    said[where] += text;
    return true;
  };
  try {
    process.env = bareEnvironment({ ...secrets, ...env });
    process.exitCode = 0;
    stdout.write = collect('stdout');
    stderr.write = collect('stderr');
    await runCommand(args);
    return { code: Number(process.exitCode), ...said, last: lastLine(said.stdout) };
  } finally {
    Object.assign(stdout, { write });
    Object.assign(stderr, { write: tell });
    Object.assign(process, { env: own, exitCode });
  }
}

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1) ?? '';

/** A serving process; its first line says where. */
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

/** What the first test does by commands, quicker: an account with five dollars and a key for everything. */
export async function accountWithKey(database: string) {
  const { operator, close } = await openOperator({ database, env: secrets, now: Date.now, mayCreate: true });
  const { id } = await operator.createAccount({ name: 'Team' });
  await operator.grant({ accountId: id, amount: parseUsd('5') });
  const { key } = await operator.createKey({ accountId: id, scopes: ['chat', 'models', 'account'] });
  await close();
  return { id, key };
}

/** For a process: code that runs before its own. */
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
