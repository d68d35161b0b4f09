import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { valueTask } from '../../http/value-task.ts';
import { openWorkerPool } from './worker-pool.ts';

const file = fileURLToPath(new URL('../../api/worker/body-worker.ts', import.meta.url));
const settings = { threads: 1, taskMs: 60_000, idleMs: 60_000, file };
const blocks = (text: string) => ({ blocks: [Buffer.from(text)] });

/** Writes a program that handles each task with this function. */
function getProgram(source: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'portico-threads-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'program.mjs');
  writeFileSync(
    path,
    `import { parentPort, threadId } from 'node:worker_threads';\nparentPort.on('message', ${source});`,
  );
  return path;
}

test('tasks of one account run in order, and a failing task does not affect the others', async () => {
  const { run } = openWorkerPool(settings);
  const [first, wrong, last] = await Promise.allSettled([
    run(valueTask, blocks('{"a":1}')),
    run(valueTask, blocks('{"a":')),
    run(valueTask, blocks('{"a":2}')),
  ]);
  expect(first).toMatchObject({ value: { a: 1 } });
  expect(wrong).toMatchObject({ reason: { name: 'AppError', code: 'invalid_json' } });
  expect(last).toMatchObject({ value: { a: 2 } });
});

test('a large block is transferred and not copied', async () => {
  const block = new Uint8Array(1_000_000).fill(0x20);
  block.set(Buffer.from('{"a":1}'));
  expect(await openWorkerPool(settings).run(valueTask, { blocks: [block] }, [block])).toEqual({ a: 1 });
  expect(block.byteLength).toBe(0);
});

test('a thread that dies fails only its own task, and the next task gets a new thread', async () => {
  const program = getProgram('({ input }) => input.dies ? process.exit(1) : parentPort.postMessage({ value: "done" })');
  const { run } = openWorkerPool({ ...settings, file: program });
  const task = (dies: boolean) => run(valueTask, { ...blocks(''), dies } as never);
  const [dead, alive] = await Promise.allSettled([task(true), task(false)]);
  expect(dead).toMatchObject({ reason: { code: 'server_overloaded' } });
  expect(alive).toMatchObject({ value: 'done' });
});

test('a task that never ends is stopped, and the next one runs', async () => {
  const program = getProgram('({ input }) => { while (input.hangs); parentPort.postMessage({ value: "done" }); }');
  const { run } = openWorkerPool({ ...settings, file: program, taskMs: 2_000 });
  const task = (hangs: boolean) => run(valueTask, { ...blocks(''), hangs } as never);
  const [hung, done] = await Promise.allSettled([task(true), task(false)]);
  expect(hung).toMatchObject({ reason: { code: 'server_overloaded', retryAfterMs: expect.any(Number) } });
  expect(done).toMatchObject({ value: 'done' });
});

test('an idle thread ends, and a new one starts for the next task', async () => {
  const program = getProgram('() => parentPort.postMessage({ value: threadId })');
  const { run } = openWorkerPool({ ...settings, file: program, idleMs: 1 });
  const first = await run(valueTask, blocks(''));
  await expect.poll(() => run(valueTask, blocks(''))).not.toBe(first);
});

test('a small task does not wait for a large one, and accounts take turns with large ones', async () => {
  // Each large task waits until the small one is done; without a separate thread that would never happen. Each returns its own
  // position, because messages of different threads may overtake each other.
  const program = getProgram(`({ input: { flag, isSmall } }) => {
    if (!isSmall) Atomics.wait(flag, 0, 0);
    const value = Atomics.add(flag, 1, 1);
    if (isSmall) Atomics.store(flag, 0, 1), Atomics.notify(flag, 0);
    parentPort.postMessage({ value });
  }`);
  const { run, ...pool } = openWorkerPool({ ...settings, file: program });
  const flag = new Int32Array(new SharedArrayBuffer(8));
  const done: string[] = [];
  const task = async (account: string, bytes: number) => {
    const place = await run(valueTask, { flag, isSmall: bytes === 1 } as never, [], { account, bytes });
    done[place as unknown as number] = account;
  };
  const huge = 5_000_000;
  const all = [...Array.from({ length: 4 }, () => task('one', huge)), task('two', huge), task('three', 1)];
  await Promise.all(all);
  expect(done[0]).toBe('three');
  expect(done.indexOf('two')).toBeLessThan(4);
  expect(done).toHaveLength(6);
  expect(pool.waiting).toBe(0);
});
