import { execFile } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import { builtOnce } from '../../../tests/support/built-once.ts';
import { checkLedger } from '../../ledger/check-ledger.ts';
import { openGateway } from '../../open-gateway.ts';
import { openDatabase } from '../../storage/open-database.ts';
import { replaceGatewayDb, stageGatewayDb } from './replace-gateway-db.ts';
import { createSqliteBackup } from './sqlite-backup.ts';

/**
 * Creates a folder as a killed server leaves it: SQLite's log and the write-ahead log beside the database, and a backup from
 * before its last request.
 */
async function leftByServer() {
  const folder = mkdtempSync(join(tmpdir(), 'portico-replaced-'));
  // Windows can't remove a file that an ending thread of the gateway still has open.
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  const served = join(folder, 'served.db');
  const gateway = await openGateway({ database: served, env: { PORTICO_KEY_PEPPER: 'x'.repeat(64) }, sandboxPace: 0 });
  const { id } = await gateway.operator.createAccount({ name: 'A' });
  await gateway.operator.grant({ accountId: id, amount: parseUsd('100') });
  const asking = await gateway.operator.createKey({ accountId: id });
  const lost = await gateway.operator.createKey({ accountId: id });
  const ask = async () => {
    const headers = { authorization: `Bearer ${asking.key}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ model: 'sandbox/echo', prompt: 'hi' });
    const answer = await gateway.fetch(new Request('http://127.0.0.1/chat', { method: 'POST', headers, body }));
    expect(answer.status).toBe(200);
    await answer.text();
  };
  await ask();
  const backup = join(folder, 'backup.db');
  await createSqliteBackup(served, backup);
  await ask();
  await gateway.operator.revokeKey(lost.id);
  await ask();
  const left = join(folder, 'left');
  mkdirSync(left);
  for (const end of ['', '-wal', '.steps-0', '.steps-1'])
    copyFileSync(`${served}${end}`, join(left, `ledger.db${end}`));
  await gateway.close();
  await stageGatewayDb(backup, join(left, 'staged.db'));
  const fresh = (name: string) => {
    const copy = join(folder, name);
    cpSync(left, copy, { recursive: true });
    return {
      folder: copy,
      staged: join(copy, 'staged.db'),
      database: join(copy, 'ledger.db'),
      setAside: join(copy, 'aside.db'),
    };
  };
  return { backup, fresh, lostKey: lost.id };
}

async function getState(file: string) {
  const { db, dialect } = await openDatabase(file);
  const { ok, sums } = await checkLedger({ db, dialect });
  const revoked = await db.selectFrom('api_keys').select('id').where('revoked_at', 'is not', null).execute();
  await db.destroy();
  return { ok, requests: sums.requests, used: sums.used_usd, revoked: revoked.map(({ id }) => id) };
}

/** Replaces a database in a process that is killed before step `left` of those that rename files. */
const program = `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  import Database from 'better-sqlite3';
  const [module, at, replacement] = process.argv.slice(1);
  let left = Number(at);
  const killed = (real) => function (...given) {
    if (left-- === 0) process.kill(process.pid, 'SIGKILL');
    return real.apply(this, given);
  };
  for (const name of ['renameSync', 'rmSync', 'fsyncSync']) fs[name] = killed(fs[name]);
  syncBuiltinESMExports();
  for (const name of ['exec', 'pragma', 'close']) Database.prototype[name] = killed(Database.prototype[name]);
  const { replaceGatewayDb } = await import(module);
  await replaceGatewayDb(JSON.parse(replacement));
`;

/** Bundled once, because loading it from source two dozen times would be slow. */
const builtModule = () =>
  builtOnce('replace-gateway-db', ['shared', 'gateway'], async (outDir) => {
    const { build } = await import('vite');
    const entry = fileURLToPath(new URL('replace-gateway-db.ts', import.meta.url));
    await build({
      configFile: false,
      logLevel: 'error',
      ssr: { noExternal: true, external: ['better-sqlite3'] },
      build: { ssr: entry, outDir, target: 'node20', copyPublicDir: false },
    });
  });

const killedBefore = (module: string, step: number, replacement: object): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const args = ['--input-type=module', '-e', program, module, String(step), JSON.stringify(replacement)];
    const cwd = fileURLToPath(new URL('../..', import.meta.url));
    execFile(process.execPath, args, { cwd }, (error, _stdout, stderr) => {
      // Windows has no signals: a killed process ends with 1 and writes nothing.
      const wasKilled = process.platform === 'win32' ? stderr === '' : error?.signal === 'SIGKILL';
      if (error && !wasKilled) reject(new Error(stderr));
      else resolve(error !== null);
    });
  });

test('after a kill at any step the next start finishes: the copy is in place and the old database is complete, with its write-ahead log', async () => {
  const { fresh, lostKey } = await leftByServer();
  const module = pathToFileURL(join(await builtModule(), 'replace-gateway-db.js')).href;
  let steps = 0;
  for (let killed = true; killed; steps += 1) {
    const { folder, staged, database, setAside } = fresh(`killed-${steps}`);
    killed = await killedBefore(module, steps, { staged, database, setAside });
    const before = existsSync(setAside);
    const later = join(folder, 'later.db');
    await replaceGatewayDb({ staged, database, setAside: before ? later : setAside });
    expect(await getState(database), `killed before step ${steps}`).toEqual({
      ok: true,
      requests: 1,
      used: expect.any(String),
      revoked: [lostKey],
    });
    expect(await getState(setAside), `killed before step ${steps}`).toMatchObject({ ok: true, requests: 3 });
    expect(existsSync(later)).toBe(false);
    expect(
      readdirSync(folder)
        .filter((name) => !name.includes('.lock'))
        .sort(),
    ).toEqual(['aside.db', 'ledger.db']);
  }
  expect(steps).toBeGreaterThan(10);
});

test('a database that anybody has open is not replaced, and nothing changes', async () => {
  const { fresh } = await leftByServer();
  const { staged, database, setAside } = fresh('open');
  const other = new Database(database);
  other.prepare('select count(*) from requests').get();
  await expect(replaceGatewayDb({ staged, database, setAside })).rejects.toMatchObject({ code: 'database_in_use' });
  other.close();
  expect([existsSync(setAside), existsSync(staged)]).toEqual([false, true]);
  expect(await getState(database)).toMatchObject({ ok: true, requests: 3 });
});

test('a copy with wrong sums, or that is no database, is not staged', async () => {
  const { backup, fresh } = await leftByServer();
  const { folder } = fresh('wrong');
  const staged = join(folder, 'other.db');
  const gatewayDb = new Database(backup);
  gatewayDb.exec('update accounts set used = used + 1');
  gatewayDb.close();
  await expect(stageGatewayDb(backup, staged)).rejects.toMatchObject({
    code: 'internal_error',
    message: expect.stringContaining('do not add up'),
  });
  writeFileSync(backup, 'no database at all');
  await expect(stageGatewayDb(backup, staged)).rejects.toMatchObject({ code: 'internal_error' });
  expect(readdirSync(folder).filter((name) => name.startsWith('other'))).toEqual([]);
});
