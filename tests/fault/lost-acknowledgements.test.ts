import { afterAll, beforeAll, expect, test } from 'vitest';
import { nanoUsd, parseUsd } from '#shared/money.ts';
import { noTokens } from '#shared/price.ts';
import { checkLedger } from '../../gateway/ledger/check-ledger.ts';
import { createLedger } from '../../gateway/ledger/ledger-store.ts';
import { openGateway } from '../../gateway/open-gateway.ts';
import { grantCredits } from '../../gateway/operations/operator/operator-store.ts';
import { type GatewayDb, openDatabase } from '../../gateway/storage/open-database.ts';
import { createTransact, type Transact } from '../../gateway/storage/transact.ts';
import { holdDurably } from '../gateway-doubles/hold-durably.ts';
import { postgresPrograms, startPostgres, type TestPostgres } from '../gateway-doubles/start-postgres.ts';
import { ask, type ReportedCost } from '../support/chat-load.ts';
import { figure } from '../support/figures.ts';
import { builtGateway } from '../support/gateway-process.ts';
import { openLossyPostgres } from '../support/lossy-postgres.ts';
import { prepaidAccount } from '../support/prepaid-account.ts';
import { openPricedUpstream } from '../support/priced-upstream.ts';
import { settledLedger } from '../support/settled-ledger.ts';

/**
 * `PORTICO_LONG=1` loses 200 acknowledgements of PostgreSQL below a gateway and 200 below the ledger
 * alone; the ordinary run fewer.
 */
const lostOnTheWay = process.env.PORTICO_LONG ? 200 : 24;
const losses = process.env.PORTICO_LONG ? 200 : 50;
/** More prompt tokens than the first hold covers, so that the hold must be extended. */
const moreThanHeld = 5_000;
const env = { PORTICO_KEY_PEPPER: 'a secret of more than thirty-two characters' };

const programs = postgresPrograms();
let postgres: TestPostgres | null = null;
beforeAll(async () => {
  if (programs) postgres = await startPostgres(programs);
});
afterAll(() => postgres?.stop());

test.skipIf(programs === null)(
  `${lostOnTheWay} commits whose acknowledgement PostgreSQL's connection loses have exactly ${lostOnTheWay} effects`,
  { timeout: 300_000 },
  async () => {
    const database = (await postgres?.createDatabase()) ?? '';
    const lossy = await openLossyPostgres(database);
    const upstream = await openPricedUpstream(
      (call) => ({ promptTokens: moreThanHeld, completionTokens: 1 + (call % 5) }),
      () => 0,
    );
    const { id, keys } = await prepaidAccount(database, env, '1', 1);
    const program = await builtGateway();
    const gateway = await program.start(lossy.url, { env: { ...env, ...upstream.env } });
    const reported: ReportedCost[] = [];
    for (let index = 0; index < lostOnTheWay; index += 1) {
      // Loses the acknowledgement of the hold, of its extension and of the settlement in turn.
      const stream = index % 4 < 2;
      lossy.loseAfter(index % 3);
      const answer = await ask({
        url: gateway.url,
        key: keys[0] ?? '',
        stream,
        body: { max_tokens: 10 },
      });
      if (answer.kind === 'complete') reported.push(answer.reported);
    }
    expect(await gateway.kill('SIGTERM')).toBe(0);
    await upstream.close();
    await lossy.close();
    expect(lossy.lost()).toBe(lostOnTheWay);
    expect(reported).toHaveLength(lostOnTheWay);
    const gatewayDb = await settledLedger(database, env, reported);
    expect(gatewayDb).toMatchObject({ problems: [], wrong: [], running: 0, held: '0', unreported: 0 });
    expect(gatewayDb.entries).toHaveLength(lostOnTheWay);
    expect(gatewayDb.count('succeeded')).toBe(lostOnTheWay);
    const sum = reported.reduce((total, { costUsd }) => total + parseUsd(costUsd), 0n);
    expect(gatewayDb.accounts.find((account) => account.id === id)?.balance).toBe(parseUsd('1') - sum);
    figure('lost acknowledgements', `${lostOnTheWay} lost on the way, ${lostOnTheWay} effects`);
  },
);

// SQLite's ledger is in this process, so no connection can lose an acknowledgement (its faults are in
// `write-ahead-log-fault.test.ts`).
test.each(
  programs === null ? [] : [{ engine: 'PostgreSQL', fresh: async () => (await postgres?.createDatabase()) ?? '' }],
)(
  `on $engine, ${losses} commands that are committed, reported as failed and repeated by the caller have ${losses} effects`,
  async ({ fresh }) => {
    const database = await fresh();
    await (await openGateway({ database, env })).close();
    const gatewayDb = await openDatabase(database);
    const transact = createTransact(gatewayDb);
    const account = { id: 'acct_1', name: 'A', email: null, plan: 'pro', status: 'active' as const, created: 0n };
    await gatewayDb.db
      .insertInto('accounts')
      .values({ ...account, balance: 0n, held: 0n, granted: 0n, used: 0n })
      .execute();
    const lossy = await loseEverything(database);
    const ledgerOver = (own: Ways) => createLedger({ db: own.db, now: Date.now, instanceId: 'inst_a' });
    const broken = ledgerOver(lossy);
    const reliable = ledgerOver({ db: gatewayDb.db, transact });
    /** Runs a step that fails without its acknowledgement, and then runs it again over a reliable connection. */
    const twice = async <T>(step: (ledger: typeof reliable, transact: Transact) => Promise<T>) => {
      const before = lossy.lost();
      lossy.arm();
      // The pool may try the connection again that was broken last. Nothing reaches the server
      // through it, so this repeats.
      while (lossy.lost() === before) await expect(step(broken, lossy.transact)).rejects.toThrow();
      return step(reliable, transact);
    };
    for (let index = 0; index < losses / 5; index += 1) {
      const requestId = `req_${index}`;
      const common = { requestId, provider: 'p', model: 'm' };
      await twice((_ledger, transact) =>
        transact((trx) =>
          grantCredits(trx, { accountId: 'acct_1', amount: nanoUsd(100n), id: `grant_${index}` }, Date.now()),
        ),
      );
      await twice((ledger) =>
        holdDurably(ledger, {
          ...common,
          accountId: 'acct_1',
          keyId: null,
          amount: nanoUsd(50n),
          byok: false,
          purpose: null,
          conversationId: null,
          user: null,
          metadata: {},
        }),
      );
      await twice((ledger) => ledger.renew(requestId));
      expect(await twice((ledger) => ledger.extend(requestId, nanoUsd(80n)))).toBe(true);
      const { held } = await gatewayDb.db.selectFrom('accounts').select('held').executeTakeFirstOrThrow();
      expect(held).toBe(80n);
      const settled = await twice((ledger) =>
        ledger.settle({
          ...common,
          status: 'succeeded',
          errorCode: null,
          charge: nanoUsd(7n),
          upstreamCost: nanoUsd(7n),
          estimated: false,
          usage: noTokens,
          price: null,
          routing: null,
          firstTokenMs: null,
          totalMs: 1,
        }),
      );
      expect(settled).toEqual({ charged: 7n });
    }
    expect(lossy.lost()).toBe(losses);
    const row = await gatewayDb.db.selectFrom('accounts').selectAll().executeTakeFirstOrThrow();
    const expected = BigInt(losses / 5);
    expect(row).toMatchObject({ balance: 93n * expected, granted: 100n * expected, used: 7n * expected, held: 0n });
    const entries = await gatewayDb.db.selectFrom('ledger_entries').select('id').execute();
    expect(entries).toHaveLength((losses / 5) * 2);
    expect((await checkLedger(gatewayDb)).checks.flatMap((check) => check.problems)).toEqual([]);
    await lossy.close();
    await gatewayDb.db.destroy();
  },
);

interface Ways {
  readonly db: GatewayDb;
  readonly transact: Transact;
}

/** Opens a connection over which, once armed, everything is committed and nothing is acknowledged. */
async function loseEverything(database: string) {
  const proxy = await openLossyPostgres(database);
  const beyond = await openDatabase(proxy.url);
  return {
    db: beyond.db,
    transact: createTransact(beyond),
    arm: () => proxy.loseAfter(0),
    lost: proxy.lost,
    async close() {
      await beyond.db.destroy();
      await proxy.close();
    },
  };
}
