import type * as fileSystem from 'node:fs';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import { openGateway } from '../../open-gateway.ts';
import { scanFrames } from '../../storage/log-frames.ts';

/** Which disk operation fails at the moment: every write into the write-ahead log, only large writes, or the sync. */
const disk = vi.hoisted(() => ({ full: false, nearlyFull: false, broken: false }));
vi.mock('node:fs', async (original) => {
  const real = await original<typeof fileSystem>();
  const failure = (code: string) => Object.assign(new Error(`${code}: the disk fails`), { code });
  return {
    ...real,
    writeSync(...parameters: Parameters<typeof real.writeSync>) {
      if (disk.full || (disk.nearlyFull && parameters[1].length > 100_000)) throw failure('ENOSPC');
      return real.writeSync(...parameters);
    },
    fdatasync(file: number, done: (error: Error | null) => void) {
      if (disk.broken) setImmediate(done, failure('EIO'));
      else real.fdatasync(file, done);
    },
  };
});
afterEach(() => {
  Object.assign(disk, { full: false, nearlyFull: false, broken: false });
});

async function openBilled() {
  const folder = mkdtempSync(join(tmpdir(), 'portico-full-'));
  const logged: Readonly<Record<string, unknown>>[] = [];
  const gateway = await openGateway({
    database: join(folder, 'ledger.db'),
    sandboxPace: 0,
    log: (entry) => void logged.push(entry),
  });
  const { id } = await gateway.operator.createAccount({ name: 'A', plan: 'enterprise' });
  await gateway.operator.grant({ accountId: id, amount: parseUsd('1') });
  const { key } = await gateway.operator.createKey({ accountId: id });
  const ask = (stream: boolean) =>
    gateway.fetch(
      new Request('http://127.0.0.1/chat', {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'sandbox/echo', prompt: 'hello', stream }),
      }),
    );
  const close = async () => {
    const report = await gateway.operator.checkLedger();
    const [account] = await gateway.operator.listAccounts();
    await gateway.close();
    rmSync(folder, { recursive: true, force: true });
    return { ok: report.ok, ...report.sums, balance: account?.balance };
  };
  const commands = () => scanFrames(readFileSync(join(folder, 'ledger.db.steps-0'))).frames.map(({ number }) => number);
  return { ask, close, logged, commands };
}

test('on a full disk a request is refused with 503 and charged nothing, and the next one is answered', async () => {
  const { ask, close } = await openBilled();
  disk.full = true;
  const refused = await ask(false);
  expect(refused.status).toBe(503);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await refused.json()).toMatchObject({ error: { code: 'server_overloaded' } });
  disk.full = false;
  expect((await ask(false)).status).toBe(200);
  expect(await close()).toMatchObject({ ok: true, requests: 1, entries: 2, running: 0, held_usd: '0' });
});

test('on a nearly full disk the next event is written, and it is not overwritten once there is space again', async () => {
  const { ask, close, commands } = await openBilled();
  disk.nearlyFull = true;
  expect((await ask(false)).status).toBe(200);
  disk.nearlyFull = false;
  expect((await ask(false)).status).toBe(200);
  expect(commands()).toEqual([1, 2, 3, 4]);
  expect(await close()).toMatchObject({ ok: true, requests: 2, entries: 3, running: 0, held_usd: '0' });
});

test('a settlement is retried until it is on the disk when the disk fails while an answer is closed', async () => {
  const { ask, close, logged } = await openBilled();
  const response = await ask(true);
  const reader = response.body?.getReader();
  const first = await reader?.read();
  expect(first?.done).toBe(false);
  Object.assign(disk, { full: true, broken: true });
  await vi.waitFor(
    async () => {
      await Promise.race([reader?.read(), Promise.resolve()]);
      expect(logged).toContainEqual(expect.objectContaining({ event: 'ledger_command_repeated', command: 'settle' }));
    },
    { timeout: 60_000 },
  );
  Object.assign(disk, { full: false, broken: false });
  for (let read = await reader?.read(); read && !read.done; ) read = await reader?.read();
  expect(await close()).toMatchObject({ ok: true, requests: 1, entries: 2, running: 0, held_usd: '0' });
});
