import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import { openDatabase } from '../../gateway/storage/open-database.ts';
import { postgresPrograms, startPostgres, type TestPostgres } from '../gateway-doubles/start-postgres.ts';
import { type Load, startLoad } from '../support/chat-load.ts';
import { figure } from '../support/figures.ts';
import { builtGateway, type GatewayProcess, type GatewayProgram } from '../support/gateway-process.ts';
import { startGranting, startRevoking, type TakenAway } from '../support/operators-beside.ts';
import { prepaidAccount } from '../support/prepaid-account.ts';
import { openPricedUpstream } from '../support/priced-upstream.ts';
import { settledLedger } from '../support/settled-ledger.ts';

/** `PORTICO_LONG=1` makes 100 crashes of each kind; the ordinary run makes fewer. */
const crashes = process.env.PORTICO_LONG ? 100 : 3;
const clients = 12;
const env = { PORTICO_KEY_PEPPER: 'a secret of more than thirty-two characters' };

const programs = postgresPrograms();
let postgres: TestPostgres | null = null;
let gateway: GatewayProgram;
const folder = mkdtempSync(join(tmpdir(), 'portico-crashes-'));
beforeAll(async () => {
  gateway = await builtGateway();
  if (programs) postgres = await startPostgres(programs);
});
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});
afterAll(async () => {
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
});

let files = 0;
const onSqlite = async () => join(folder, `ledger-${files++}.db`);
const onPostgres = async () => (await postgres?.createDatabase()) ?? '';

/** Starts gateways under load, with an upstream whose answers differ in price and take up to 60 ms. */
async function underLoad(database: string, processes: number) {
  let writing = Promise.withResolvers<void>();
  const upstream = await openPricedUpstream(
    (call) => ({ promptTokens: 5 + (call % 7), completionTokens: 3 + (call % 11) }),
    () => {
      writing.resolve();
      writing = Promise.withResolvers();
      return 1 + Math.random() * 30;
    },
  );
  closers.push(upstream.close);
  const { id, keys } = await prepaidAccount(database, env, '1000', 8);
  const settings = { env: { ...env, ...upstream.env } };
  const gateways: (GatewayProcess | null)[] = [];
  closers.push(() => gateways.map((gateway) => gateway?.kill('SIGKILL')));
  for (let index = 0; index < processes; index += 1) gateways.push(await gateway.start(database, settings));
  const load = startLoad(clients, () => gateways.flatMap((gateway) => (gateway ? [gateway.url] : [])), keys);
  closers.push(load.stop);
  return {
    accountId: id,
    load,
    gateways,
    /** Ends a gateway during an answer and starts it again while the clients continue. Returns its exit code. */
    async again(index: number, signal: 'SIGTERM' | 'SIGKILL', meanwhile = () => {}) {
      await writing.promise;
      const ended = gateways[index]?.kill(signal);
      gateways[index] = null;
      const code = await ended;
      meanwhile();
      gateways[index] = await gateway.start(database, settings);
      return code;
    },
    async end() {
      await load.stop();
      for (const gateway of gateways) await gateway?.kill('SIGKILL');
    },
  };
}

/** Returns the keys and accounts that are still revoked or suspended in the ledger. */
async function stillThere(database: string, { keys, accounts }: TakenAway): Promise<TakenAway> {
  const { db } = await openDatabase(database);
  const revoked = await db.selectFrom('api_keys').select('id').where('revoked_at', 'is not', null).execute();
  const suspended = await db.selectFrom('accounts').select('id').where('status', '=', 'suspended').execute();
  await db.destroy();
  const ids = new Set([...revoked, ...suspended].map(({ id }) => id));
  return { keys: keys.filter((id) => ids.has(id)), accounts: accounts.filter((id) => ids.has(id)) };
}

/**
 * Expects that no request is running, no hold is left, all sums are exact, and every cost that a client
 * received was charged once.
 */
async function expectSettled(database: string, load: Load) {
  const gatewayDb = await settledLedger(database, env, load.reported);
  expect(gatewayDb).toMatchObject({ problems: [], wrong: [], running: 0, held: '0' });
  expect(new Set(load.reported.map(({ requestId }) => requestId)).size).toBe(load.reported.length);
  const verified = await gateway.run(['ledger', 'verify', '--db', database], { env });
  expect(verified).toMatchObject({ code: 0, last: 'The books are exact.' });
  const { reported, counts } = load;
  const figures =
    `${reported.length} answers acknowledged, ${counts.broken} broken, ${gatewayDb.unreported} charged but not delivered, ` +
    `${gatewayDb.count('failed', 'interrupted')} interrupted`;
  process.stdout.write(`${figures}\n`);
  return { ...gatewayDb, figures };
}

const endless = { timeout: 1_800_000 };

describe('under load, no cost that a client received is lost', () => {
  test.each(
    [
      { engine: 'SQLite', processes: 1, fresh: onSqlite, runs: true },
      { engine: 'PostgreSQL', processes: 3, fresh: onPostgres, runs: programs !== null },
    ].filter(({ runs }) => runs),
  )(
    `when one of $processes gateways on $engine is killed ${crashes} times while operators write to the ledger`,
    endless,
    async ({ engine, processes, fresh }) => {
      const database = await fresh();
      const { accountId, load, again, end } = await underLoad(database, processes);
      const granting = startGranting(database, env, accountId);
      const revoking = startRevoking(database, env);
      for (let crash = 0; crash < crashes; crash += 1) {
        await load.more(10);
        await again(crash % processes, 'SIGKILL');
      }
      await load.more(10);
      const granted = await granting.stop();
      const takenAway = await revoking.stop();
      await end();
      const gatewayDb = await expectSettled(database, load);
      expect(gatewayDb.count('failed', 'interrupted')).toBeGreaterThan(0);
      expect(granted).toBeGreaterThan(0n);
      const account = gatewayDb.accounts.find(({ id }) => id === accountId);
      expect(account?.granted).toBe(parseUsd('1000') + granted);
      expect(await stillThere(database, takenAway)).toEqual(takenAway);
      figure('killed gateways', `${crashes} kills of ${processes} on ${engine}: ${gatewayDb.figures}, ledger exact`);
    },
  );

  test(`when the gateway is killed ${crashes} times and SQLite's own log is deleted each time`, endless, async () => {
    const database = await onSqlite();
    const { load, again, end } = await underLoad(database, 1);
    for (let crash = 0; crash < crashes; crash += 1) {
      await load.more(10);
      await again(0, 'SIGKILL', () => {
        for (const file of ['-wal', '-shm']) rmSync(`${database}${file}`, { force: true });
      });
    }
    await load.more(10);
    await end();
    const gatewayDb = await expectSettled(database, load);
    expect(gatewayDb.count('failed', 'interrupted')).toBeGreaterThan(0);
    figure('killed gateways', `${crashes} kills that take SQLite’s log along: ${gatewayDb.figures}, ledger exact`);
  });

  test(
    `when the gateway restarts ${crashes} times after SIGTERM, and no answer that had begun is interrupted`,
    endless,
    async () => {
      const database = await onSqlite();
      const { load, again, end } = await underLoad(database, 1);
      for (let restart = 0; restart < crashes; restart += 1) {
        await load.more(10);
        expect(await again(0, 'SIGTERM')).toBe(0);
      }
      await load.more(10);
      await load.stop();
      await end();
      const gatewayDb = await expectSettled(database, load);
      expect(gatewayDb.count('failed')).toBe(0);
      expect(gatewayDb.unreported).toBe(0);
      figure('drain', `${crashes} restarts under load: ${gatewayDb.figures}`);
    },
  );

  test.skipIf(programs === null)(`when PostgreSQL itself crashes and recovers ${crashes} times`, endless, async () => {
    const database = await onPostgres();
    const { load, gateways, end } = await underLoad(database, 2);
    for (let crash = 0; crash < crashes; crash += 1) {
      await load.more(10);
      await postgres?.crash();
      await postgres?.restart();
    }
    await load.more(10);
    for (const gateway of gateways) expect(gateway?.child.exitCode).toBeNull();
    await end();
    const { figures } = await expectSettled(database, load);
    figure('crashes of PostgreSQL', `${crashes} crashes: ${figures}, ledger exact`);
  });
});
