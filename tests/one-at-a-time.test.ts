import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const script = new URL('../scripts/one-at-a-time.mjs', import.meta.url).href;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-lock-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const lock = () => join(folder, '.cache', 'preparing');
const built = () => join(folder, 'built');

/** Does what two starts of a fresh clone do: a process that has to wait finds the work done. */
const program = () => `
  import { appendFileSync, existsSync, readFileSync } from 'node:fs';
  import { oneAtATime } from ${JSON.stringify(script)};
  const built = ${JSON.stringify(built())};
  oneAtATime(${JSON.stringify(lock())}, () => {
    if (existsSync(built) && readFileSync(built, 'utf8').endsWith('done\\n')) return;
    appendFileSync(built, 'begun\\n');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    appendFileSync(built, 'done\\n');
  }, () => {});
`;

async function start(): Promise<number | null> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program()], { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  return code;
}

test('of several processes at once, one does the work and the others find it done', async () => {
  expect(await Promise.all([start(), start(), start(), start()])).toEqual([0, 0, 0, 0]);
  expect(readFileSync(built(), 'utf8')).toBe('begun\ndone\n');
});

test('a process that was killed in the middle blocks no other, and its work does not count as done', async () => {
  expect(await start()).toBe(0);
  const killed = spawn(process.execPath, ['-e', '']);
  await once(killed, 'exit');
  writeFileSync(lock(), String(killed.pid));
  writeFileSync(built(), 'begun\n');
  expect(await Promise.all([start(), start(), start()])).toEqual([0, 0, 0]);
  expect(readFileSync(built(), 'utf8')).toBe('begun\nbegun\ndone\n');
});
