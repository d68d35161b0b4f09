import { afterAll, beforeAll, expect, test } from 'vitest';
import { nanoUsd, parseUsd } from '#shared/money.ts';
import { noTokens } from '#shared/price.ts';
import { openBooks } from '../../gateway/db/open.ts';
import { createTransact } from '../../gateway/db/transact.ts';
import { grantCredits } from '../../gateway/ledger/grant.ts';
import { createLedger } from '../../gateway/ledger/ledger-store.ts';
import { verifyBooks } from '../../gateway/ledger/verify-books.ts';
import { openGateway } from '../../gateway/open-gateway.ts';
import { holdDurably } from '../../gateway/testing/hold-durably.ts';
import { postgresPrograms, startPostgres, type TestPostgres } from '../../gateway/testing/start-postgres.ts';
import { ask, type Told } from '../support/chat-load.ts';
import { buildGateway } from '../support/gateway-process.ts';
import { openLossyPostgres } from '../support/lossy-postgres.ts';
import { prepaidAccount } from '../support/prepaid-account.ts';
import { openPricedUpstream } from '../support/priced-upstream.ts';
import { settledBooks } from '../support/settled-books.ts';

/** `PORTICO_LONG=1` loses 200 on the way from PostgreSQL; the ordinary run fewer. Those of the ledger itself cost little. */
const lostOnTheWay = process.env.PORTICO_LONG ? 200 : 40;
const losses = 200;
/** More than the 4,096 tokens that are held for at first. */
const longerThanHeld = 'x'.repeat(15_000);
const env = { PORTICO_KEY_PEPPER: 'a secret of more than thirty-two characters' };

const programs = postgresPrograms();
let postgres: TestPostgres | null = null;
beforeAll(async () => {
  if (programs) postgres = await startPostgres(programs);
});
afterAll(() => postgres?.stop());

test.skipIf(programs === null)(
  `PostgreSQL commits and the connection breaks before it can say so, ${lostOnTheWay} times: exactly ${lostOnTheWay} effects`,
  { timeout: 300_000 },
  async () => {
    const database = (await postgres?.createDatabase()) ?? '';
    const lossy = await openLossyPostgres(database);
    const upstream = await openPricedUpstream(
      (call) => ({ promptTokens: 10, completionTokens: 1 + (call % 5) }),
      () => 0,
      longerThanHeld,
    );
    const { id, keys } = await prepaidAccount(database, env, '1', 1);
    const program = await buildGateway('lost-acknowledgements');
    const gateway = await program.start(lossy.url, { env: { ...env, ...upstream.env } });
    const told: Told[] = [];
    for (let index = 0; index < lostOnTheWay; index += 1) {
      // In turn that of the hold, that of its extension and that of the settlement.
      lossy.loseAfter(index % 3);
      const answer = await ask({
        url: gateway.url,
        key: keys[0] ?? '',
        stream: index % 4 < 2,
        body: { max_tokens: null },
      });
      if (answer.kind === 'complete') told.push(answer.told);
    }
    expect(await gateway.kill('SIGTERM')).toBe(0);
    await upstream.close();
    await lossy.close();
    expect(lossy.lost()).toBe(lostOnTheWay);
    expect(told).toHaveLength(lostOnTheWay);
    const books = await settledBooks(database, env, told);
    expect(books).toMatchObject({ problems: [], wrong: [], running: 0, held: '0', unheard: 0 });
    expect(books.entries).toHaveLength(lostOnTheWay);
    expect(books.count('succeeded')).toBe(lostOnTheWay);
    const sum = told.reduce((total, { costUsd }) => total + parseUsd(costUsd), 0n);
    expect(books.accounts.find((account) => account.id === id)?.balance).toBe(parseUsd('1') - sum);
  },
);

test.each(
  [
    { engine: 'SQLite', fresh: async () => ':memory:' },
    { engine: 'PostgreSQL', fresh: async () => (await postgres?.createDatabase()) ?? '' },
  ].filter(({ engine }) => engine === 'SQLite' || programs !== null),
)(
  `on $engine, ${losses} steps that are committed, told as failed and repeated by the caller have ${losses} effects`,
  { timeout: 60_000 },
  async ({ fresh }) => {
    const database = await fresh();
    // Migrates; the books in memory are opened below.
    if (database !== ':memory:') await (await openGateway({ database, env })).close();
    const books = await openBooks(database);
    const transact = createTransact(books);
    const account = { id: 'acct_1', name: 'A', email: null, plan: 'pro', status: 'active' as const, created: 0n };
    await books.db
      .insertInto('accounts')
      .values({ ...account, balance: 0n, held: 0n, granted: 0n, used: 0n })
      .execute();
    const ledger = createLedger({ transact, now: Date.now, instanceId: 'inst_a' });
    let lost = 0;
    /** Done twice: the first time it is told as failed, the second time answered. */
    const twice = async <T>(step: () => Promise<T>): Promise<T> => {
      await step();
      lost += 1;
      return step();
    };
    for (let index = 0; index < losses / 5; index += 1) {
      const requestId = `req_${index}`;
      const common = { requestId, provider: 'p', model: 'm' };
      await twice(() =>
        transact((trx) =>
          grantCredits(trx, { accountId: 'acct_1', amount: nanoUsd(100n), id: `grant_${index}` }, Date.now()),
        ),
      );
      await twice(() =>
        holdDurably(ledger, {
          ...{ ...common, accountId: 'acct_1', keyId: null, amount: nanoUsd(50n), byok: false, purpose: null },
          ...{ conversationId: null, user: null, metadata: {} },
        }),
      );
      await twice(() => ledger.renew(requestId));
      expect(await twice(() => ledger.extend(requestId, nanoUsd(80n)))).toBe(true);
      const { held } = await books.db.selectFrom('accounts').select('held').executeTakeFirstOrThrow();
      expect(held).toBe(80n);
      const settled = await twice(() =>
        ledger.settle({
          ...{ ...common, status: 'succeeded', errorCode: null, charge: nanoUsd(7n), upstreamCost: nanoUsd(7n) },
          ...{ estimated: false, usage: noTokens, price: null, routing: null, firstTokenMs: null, totalMs: 1 },
        }),
      );
      expect(settled).toEqual({ charged: 7n });
    }
    expect(lost).toBe(losses);
    const row = await books.db.selectFrom('accounts').selectAll().executeTakeFirstOrThrow();
    const expected = BigInt(losses / 5);
    expect(row).toMatchObject({ balance: 93n * expected, granted: 100n * expected, used: 7n * expected, held: 0n });
    const entries = await books.db.selectFrom('ledger_entries').select('id').execute();
    expect(entries).toHaveLength((losses / 5) * 2);
    expect((await verifyBooks(books)).checks.flatMap((check) => check.problems)).toEqual([]);
    await books.db.destroy();
  },
);
