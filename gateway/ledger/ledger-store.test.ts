import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { nanoUsd, parseUsd } from '#shared/money.ts';
import { noTokens } from '#shared/price.ts';
import { holdDurably } from '../../tests/gateway-doubles/hold-durably.ts';
import { postgresPrograms, startPostgres, type TestPostgres } from '../../tests/gateway-doubles/start-postgres.ts';
import { grantCredits } from '../operations/operator/operator-store.ts';
import { openDatabase } from '../storage/open-database.ts';
import { createTransact } from '../storage/transact.ts';
import type { Ledger, Settlement } from './ledger.ts';
import { createLedger, leaseMs } from './ledger-store.ts';
import { sweepEarlierInstances, sweepExpired } from './sweeper.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const programs = postgresPrograms();
let postgres: TestPostgres | null = null;
beforeAll(async () => {
  if (programs) postgres = await startPostgres(programs);
});
afterAll(() => postgres?.stop());

const engines = [
  { engine: 'SQLite', runs: 60, database: async () => ':memory:' },
  { engine: 'PostgreSQL', runs: 8, database: async () => (await postgres?.createDatabase()) ?? '' },
];
const available = engines.filter(({ engine }) => engine === 'SQLite' || programs !== null);

let database = engines[0]?.database ?? (async () => ':memory:');

async function openLedger(plan = 'pro', balance = '0') {
  const url = await database();
  const gatewayDb = await openDatabase(url);
  closers.push(() => gatewayDb.db.destroy());
  const transact = createTransact(gatewayDb);
  let time = Date.UTC(2026, 10, 20);
  const now = () => time;
  const ledger = createLedger({ db: gatewayDb.db, now, instanceId: 'inst_a' });
  const account = { id: 'acct_1', name: 'A', email: null, plan, status: 'active' as const, created: 0n };
  await gatewayDb.db
    .insertInto('accounts')
    .values({ ...account, balance: 0n, held: 0n, granted: 0n, used: 0n })
    .execute();
  const grant = (amount: bigint, id?: string) =>
    transact((trx) =>
      grantCredits(trx, { accountId: 'acct_1', amount: nanoUsd(amount), ...(id === undefined ? {} : { id }) }, now()),
    );
  if (balance !== '0') await grant(parseUsd(balance));
  const readAccount = () =>
    gatewayDb.db.selectFrom('accounts').selectAll().where('id', '=', 'acct_1').executeTakeFirstOrThrow();
  const pass = (ms: number) => {
    time += ms;
  };
  return { ...gatewayDb, transact, ledger, grant, now, account: readAccount, pass, url };
}

const getHold = (requestId: string, amount: bigint) => ({
  requestId,
  accountId: 'acct_1',
  keyId: null,
  amount: nanoUsd(amount),
  provider: 'sandbox',
  model: 'echo',
  byok: false,
  purpose: 'chat',
  conversationId: null,
  user: null,
  metadata: {},
});

const getEnd = (requestId: string, charge: bigint, status: Settlement['status'] = 'succeeded'): Settlement => ({
  requestId,
  status,
  errorCode: null,
  charge: nanoUsd(charge),
  upstreamCost: nanoUsd(charge),
  estimated: false,
  provider: 'sandbox',
  model: 'echo',
  usage: { ...noTokens, promptTokens: 3, completionTokens: 4 },
  price: null,
  routing: null,
  firstTokenMs: 5,
  totalMs: 10,
});

const getCode = (work: Promise<unknown>) =>
  work.then(
    () => 'ok',
    (error: { code?: string }) => error.code ?? String(error),
  );

type LedgerCommand =
  | { readonly do: 'grant'; readonly amount: bigint }
  | { readonly do: 'hold' | 'extend' | 'settle'; readonly request: number; readonly amount: bigint };

const amount = fc.bigInt({ min: 0n, max: 1000n });
const command: fc.Arbitrary<LedgerCommand> = fc.oneof(
  fc.record({ do: fc.constant('grant' as const), amount: fc.bigInt({ min: 1n, max: 2000n }) }),
  fc.record({ do: fc.constantFrom('hold', 'extend', 'settle'), request: fc.integer({ min: 0, max: 7 }), amount }),
);

/** A simple model of the ledger to compare with. */
function paperLedger(prepaid: boolean) {
  const requests = new Map<number, { hold: bigint; charge: bigint | null }>();
  const held = () => [...requests.values()].reduce((sum, item) => sum + item.hold, 0n);
  let balance = 0n;
  const covers = (wanted: bigint) => !prepaid || wanted === 0n || balance - held() >= wanted;
  return {
    held,
    balance: () => balance,
    apply(next: LedgerCommand): unknown {
      if (next.do === 'grant') {
        balance += next.amount;
        return 'ok';
      }
      const known = requests.get(next.request);
      if (next.do === 'hold') {
        if (known) return 'ok';
        if (!covers(next.amount)) return 'insufficient_credits';
        requests.set(next.request, { hold: next.amount, charge: null });
        return 'ok';
      }
      if (!known) return next.do === 'extend' ? false : 'unknown';
      if (next.do === 'extend') {
        if (known.charge !== null) return false;
        if (next.amount <= known.hold) return true;
        if (!covers(next.amount - known.hold)) return false;
        known.hold = next.amount;
        return true;
      }
      if (known.charge !== null) return known.charge;
      requests.set(next.request, { hold: 0n, charge: next.amount });
      balance -= next.amount;
      return next.amount;
    },
  };
}

async function apply(
  ledger: Ledger,
  grant: (amount: bigint) => Promise<unknown>,
  next: LedgerCommand,
): Promise<unknown> {
  if (next.do === 'grant') return grant(next.amount).then(() => 'ok');
  const id = `req_${next.request}`;
  if (next.do === 'hold') return getCode(holdDurably(ledger, getHold(id, next.amount)));
  if (next.do === 'extend') return ledger.extend(id, nanoUsd(next.amount));
  return ledger.settle(getEnd(id, next.amount)).then(
    (answer) => answer.charged,
    () => 'unknown',
  );
}

describe.each(available)('the ledger on $engine', ({ database: fresh, engine, runs }) => {
  beforeEach(() => {
    database = fresh;
  });

  test.each([
    ['pro', true],
    ['local', false],
  ] as const)(
    'the ledger matches a simple model after any sequence of commands (%s)',
    async (plan, prepaid) => {
      await fc.assert(
        fc.asyncProperty(fc.array(command, { maxLength: 40 }), async (commands) => {
          const { ledger, grant, account, db } = await openLedger(plan);
          const paper = paperLedger(prepaid);
          for (const next of commands) {
            expect(await apply(ledger, grant, next)).toEqual(paper.apply(next));
            const row = await account();
            expect([row.balance, row.held]).toEqual([paper.balance(), paper.held()]);
          }
          const entries = await db.selectFrom('ledger_entries').selectAll().orderBy('seq').execute();
          let sum = 0n;
          for (const entry of entries) {
            sum += entry.amount;
            expect(entry.balance_after).toBe(sum);
          }
          expect((await account()).balance).toBe(sum);
          await closers.pop()?.();
        }),
        { numRuns: runs },
      );
    },
    60_000,
  );

  test('the ledger never promises more than the balance to 200 callers at once', async () => {
    const { ledger, account } = await openLedger('pro', '0.00000005');
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => getCode(holdDurably(ledger, getHold(`req_${index}`, 3n)))),
    );
    expect(answers.filter((answer) => answer === 'ok')).toHaveLength(16);
    expect(answers.filter((answer) => answer === 'insufficient_credits')).toHaveLength(184);
    expect(await account()).toMatchObject({ balance: 50n, held: 48n });
  });

  test.runIf(engine === 'PostgreSQL')(
    'the ledger never promises more than the balance to two processes at once',
    async () => {
      const { ledger, account, url } = await openLedger('pro', '0.00000005');
      const gatewayDb = await openDatabase(url);
      closers.push(() => gatewayDb.db.destroy());
      const other = createLedger({
        db: gatewayDb.db,
        now: Date.now,
        instanceId: 'inst_b',
      });
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, index) =>
          getCode(holdDurably(index % 2 ? ledger : other, getHold(`req_${index}`, 3n))),
        ),
      );
      expect(answers.filter((answer) => answer === 'ok')).toHaveLength(16);
      expect(await account()).toMatchObject({ balance: 50n, held: 48n });
      const settled = await Promise.all(
        answers.flatMap((answer, index) =>
          answer === 'ok' ? [ledger, other].map((item) => item.settle(getEnd(`req_${index}`, 2n))) : [],
        ),
      );
      expect(settled.every(({ charged }) => charged === 2n)).toBe(true);
      expect(await account()).toMatchObject({ balance: 18n, held: 0n });
    },
  );

  test('the error contains the needed and the available amount when a hold is refused', async () => {
    const { ledger } = await openLedger('pro', '0.004');
    await expect(holdDurably(ledger, getHold('req_1', parseUsd('0.012')))).rejects.toMatchObject({
      code: 'insufficient_credits',
      message: expect.stringContaining('may cost up to $0.012, available $0.004'),
      details: { needed_usd: '0.012', available_usd: '0.004' },
    });
  });

  test('a request is charged its true cost when that is more than the hold', async () => {
    const { ledger, account } = await openLedger('pro', '0.00000001');
    await holdDurably(ledger, getHold('req_1', 10n));
    expect(await ledger.settle(getEnd('req_1', 25n))).toEqual({ charged: 25n });
    expect(await account()).toMatchObject({ balance: -15n, held: 0n, used: 25n });
    expect(await getCode(holdDurably(ledger, getHold('req_2', 1n)))).toBe('insufficient_credits');
    expect(await getCode(holdDurably(ledger, { ...getHold('req_3', 0n), byok: true }))).toBe('ok');
  });

  test('the ledger charges once when every acknowledgement is lost and each command is repeated', async () => {
    const { ledger, account, db } = await openLedger('pro', '1');
    for (let index = 0; index < 50; index += 1) {
      await holdDurably(ledger, getHold(`req_${index}`, 100n));
      await holdDurably(ledger, getHold(`req_${index}`, 100n));
      expect(await ledger.extend(`req_${index}`, nanoUsd(150n))).toBe(true);
      expect(await ledger.extend(`req_${index}`, nanoUsd(150n))).toBe(true);
      expect(await account()).toMatchObject({ held: 150n });
      await ledger.settle(getEnd(`req_${index}`, 7n));
      expect(await ledger.settle(getEnd(`req_${index}`, 99n, 'failed'))).toEqual({ charged: 7n });
    }
    expect(await account()).toMatchObject({ balance: parseUsd('1') - 350n, held: 0n });
    const usage = await db.selectFrom('usage_daily').selectAll().execute();
    expect(usage).toMatchObject([{ requests: 50n, charge: 350n, prompt_tokens: 150n, status: 'succeeded' }]);
  });

  test('the charge for a request on the caller’s own key is recorded as a fee, once, and never as usage', async () => {
    const { ledger, account, db } = await openLedger('pro', '1');
    await holdDurably(ledger, { ...getHold('req_1', 100n), byok: true });
    const end = { ...getEnd('req_1', 7n), byokFeeBps: 250 };
    expect(await ledger.settle(end)).toEqual({ charged: 7n });
    expect(await ledger.settle(end)).toEqual({ charged: 7n });
    expect(await account()).toMatchObject({ balance: parseUsd('1') - 7n, used: 7n, held: 0n, month_used: 7n });
    const entries = await db.selectFrom('ledger_entries').selectAll().where('type', '<>', 'grant').execute();
    expect(entries).toMatchObject([{ type: 'byok_fee', amount: -7n, request_id: 'req_1', model: 'echo' }]);
    expect(await db.selectFrom('requests').selectAll().execute()).toMatchObject([{ charge: 7n, byok_fee_bps: 250n }]);
    const { seq: _seq, ...entry } = entries[0] ?? { seq: 0n };
    const again = { ...(entry as NonNullable<(typeof entries)[0]>), id: 'txn_again' };
    await expect(db.insertInto('ledger_entries').values(again).execute()).rejects.toThrow(/unique/i);
  });

  test('credits are granted once per id, and the same id with another amount is refused', async () => {
    const { grant, account } = await openLedger();
    const first = await grant(500n, 'welcome');
    expect(await grant(500n, 'welcome')).toEqual(first);
    expect(await getCode(grant(501n, 'welcome'))).toBe('invalid_input');
    expect(await account()).toMatchObject({ balance: 500n, granted: 500n });
  });

  test('the database lets nobody change or remove an entry', async () => {
    const { db } = await openLedger('pro', '1');
    await expect(db.updateTable('ledger_entries').set({ amount: 2n }).execute()).rejects.toThrow(/only ever added/);
    await expect(db.deleteFrom('ledger_entries').execute()).rejects.toThrow(/only ever added/);
    await expect(sql`update accounts set held = -1`.execute(db)).rejects.toThrow(/check/i);
  });

  test('a command that fails does not affect the commands committed with it', async () => {
    const { ledger, account } = await openLedger('pro', '1');
    const broken = { ...getHold('req_b', 5n), accountId: 'acct_missing' };
    const answers = await Promise.all([
      getCode(holdDurably(ledger, getHold('req_a', 5n))),
      getCode(holdDurably(ledger, broken)),
      getCode(holdDurably(ledger, getHold('req_c', 5n))),
    ]);
    expect(answers).toEqual(['ok', expect.stringContaining('does not exist'), 'ok']);
    expect(await account()).toMatchObject({ held: 10n });
  });
});

describe.each(available)('the sweeper on $engine', ({ database: fresh }) => {
  beforeEach(() => {
    database = fresh;
  });

  test('the sweeper ends requests of a dead process once their lease is over, and releases their holds', async () => {
    const { db, ledger, now, pass, account } = await openLedger('pro', '1');
    await holdDurably(ledger, getHold('req_1', 100n));
    await holdDurably(ledger, getHold('req_2', 100n));
    pass(leaseMs - 1);
    await ledger.renew('req_2');
    pass(2);
    const other = { db, ledger, now, instanceId: 'inst_b' };
    expect(await sweepExpired(other)).toBe(1);
    expect(await account()).toMatchObject({ held: 100n, balance: parseUsd('1') });
    const row = await db.selectFrom('requests').selectAll().where('id', '=', 'req_1').executeTakeFirstOrThrow();
    expect(row).toMatchObject({ status: 'failed', error_code: 'interrupted', charge: 0n, hold: 0n });
    expect(await ledger.settle(getEnd('req_1', 50n))).toEqual({ charged: 0n });
  });

  test('the sweeper spares a request whose lease is renewed between the query and the end', async () => {
    const { db, ledger, now, pass, account } = await openLedger('pro', '1');
    await holdDurably(ledger, getHold('req_1', 100n));
    pass(leaseMs + 1);
    const interrupt: typeof ledger.interrupt = async (...found) => {
      await ledger.renew('req_1');
      return ledger.interrupt(...found);
    };
    await sweepExpired({ db, ledger: { interrupt }, now, instanceId: 'inst_b' });
    expect(await account()).toMatchObject({ held: 100n });
    expect(await ledger.settle(getEnd('req_1', 50n))).toEqual({ charged: 50n });
  });

  test('the sweeper leaves a process its own requests even when it renews them late', async () => {
    const { db, ledger, now, pass } = await openLedger('pro', '1');
    await holdDurably(ledger, getHold('req_1', 100n));
    pass(leaseMs * 5);
    expect(await sweepExpired({ db, ledger, now, instanceId: 'inst_a' })).toBe(0);
  });

  test('the first sweep does not wait for leases when no other process can be alive', async () => {
    const { db, ledger, now, account } = await openLedger('pro', '1');
    await holdDurably(ledger, getHold('req_1', 100n));
    expect(await sweepEarlierInstances({ db, ledger, now, instanceId: 'inst_b' })).toBe(1);
    expect(await account()).toMatchObject({ held: 0n });
  });
});
