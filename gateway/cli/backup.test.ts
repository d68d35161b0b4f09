import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import { bareEnvironment } from '../../tests/gateway-doubles/bare-environment.ts';
import { emptyDatabase, onPostgres, sharedDatabase, sharedSecrets } from '../../tests/gateway-doubles/test-database.ts';
import { builtCli } from '../../tests/support/built-cli.ts';
import { openGateway } from '../open-gateway.ts';
import { openDatabase } from '../storage/open-database.ts';

const entry = await builtCli();

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const run = (args: readonly string[], env: Record<string, string> = {}): Promise<Ended> =>
  new Promise((resolve) => {
    const options = { env: bareEnvironment({ ...sharedSecrets(), ...env }) };
    execFile(process.execPath, [entry, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });

/** Starts a gateway that answers requests on several connections until it's stopped. */
async function underLoad() {
  const folder = mkdtempSync(join(tmpdir(), 'portico-backup-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const database = await sharedDatabase(folder);
  const gateway = await openGateway({ database, env: sharedSecrets(), sandboxPace: 0 });
  onTestFinished(() => gateway.close());
  const { id } = await gateway.operator.createAccount({ name: 'A' });
  await gateway.operator.grant({ accountId: id, amount: parseUsd('100') });
  const { key } = await gateway.operator.createKey({ accountId: id });
  const answered: string[] = [];
  let stopped = false;
  const line = async () => {
    while (!stopped) {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ model: 'sandbox/echo', prompt: 'hi' });
      const answer = await gateway.fetch(new Request('http://127.0.0.1/chat', { method: 'POST', headers, body }));
      await answer.text();
      answered.push(answer.headers.get('x-request-id') ?? '');
    }
  };
  const lines = Array.from({ length: 4 }, line);
  const stop = async () => {
    stopped = true;
    await Promise.all(lines);
    await gateway.close();
  };
  await expect.poll(() => answered.length).toBeGreaterThan(50);
  return { folder, database, answered, stop };
}

test('a backup under load restores exactly and contains every answer from before it began', async () => {
  const { folder, database, answered, stop } = await underLoad();
  const file = join(folder, 'books.backup');
  const before = answered.slice();
  const made = await run(['backup', 'create', file, '--db', database]);
  expect(made).toMatchObject({ code: 0, stderr: '' });
  expect(answered.length, 'it was served meanwhile').toBeGreaterThan(before.length);
  await stop();
  expect(made.stdout).toContain(`${statSync(file).size} bytes`);
  expect(made.stdout).toContain(onPostgres() ? 'PORTICO_KEY_PEPPER' : `${database}.pepper`);

  const target = onPostgres() ? await emptyDatabase() : join(folder, 'restored.db');
  const restored = await run(['backup', 'restore', file, '--db', target]);
  expect(restored).toMatchObject({ code: 0, stderr: '' });
  expect(restored.stdout).toContain('The books are exact.');
  const { db } = await openDatabase(target);
  onTestFinished(() => db.destroy());
  const kept = new Set((await db.selectFrom('requests').select('id').execute()).map(({ id }) => id));
  expect(before.filter((id) => !kept.has(id))).toEqual([]);

  const again = await run(['backup', 'create', file, '--db', database]);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining(`"${file}" is there`)]);
  const over = await run(['backup', 'restore', file, '--db', target]);
  expect([over.code, over.stderr]).toEqual([1, expect.stringContaining('A restore never replaces books')]);
});

test.runIf(onPostgres())(
  'the command names the missing program when PostgreSQL’s programs are not installed',
  async () => {
    const file = join(tmpdir(), `portico-never-${process.pid}`);
    const database = await emptyDatabase();
    for (const [words, program] of [
      [['backup', 'create', file], 'pg_dump'],
      [['backup', 'restore', entry], 'pg_restore'],
    ] as const) {
      const { code, stderr } = await run([...words, '--db', database], { PATH: '/nowhere' });
      expect([code, stderr]).toEqual([1, expect.stringContaining(`"${program}" is not installed`)]);
    }
    expect(existsSync(file)).toBe(false);
  },
);

test.runIf(onPostgres())('a missing or invalid backup is reported, and the database stays empty', async () => {
  const [database, missing] = [await emptyDatabase(), join(tmpdir(), `portico-never-${process.pid}`)];
  for (const [from, why] of [
    [missing, `There is no backup "${missing}"`],
    [entry, 'pg_restore failed: '],
  ] as const) {
    const { code, stdout, stderr } = await run(['backup', 'restore', from, '--db', database]);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(why)]);
  }
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  onTestFinished(() => client.end());
  const { rows } = await client.query("select tablename from pg_tables where schemaname = 'public'");
  expect(rows).toEqual([]);
});

test.skipIf(onPostgres())('a refused or damaged backup leaves no file behind', async () => {
  const { folder, database, stop } = await underLoad();
  const file = join(folder, 'books.backup');
  const served = await run(['backup', 'restore', database, '--db', database]);
  expect([served.code, served.stderr]).toEqual([2, expect.stringContaining('is in use')]);
  await stop();
  expect((await run(['backup', 'create', file, '--db', database])).code).toBe(0);
  const broken = join(folder, 'broken.backup');
  copyFileSync(file, broken);
  truncateSync(broken, Math.floor(readFileSync(file).length / 8192) * 4096);
  const target = join(folder, 'target.db');
  for (const from of [broken, entry, join(folder, 'nothing')]) {
    const { code, stdout, stderr } = await run(['backup', 'restore', from, '--db', target]);
    expect([code, stdout], from).toEqual([1, '']);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect([existsSync(target), existsSync(`${target}.partial`)]).toEqual([false, false]);
  }
});
