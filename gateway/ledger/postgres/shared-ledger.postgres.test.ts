import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { nanoUsd } from '#shared/money.ts';
import { noTokens } from '#shared/price.ts';
import { holdDurably } from '../../../tests/gateway-doubles/hold-durably.ts';
import { testDatabase } from '../../../tests/gateway-doubles/test-database.ts';
import { grantCredits, limitModels } from '../../operations/operator/operator-store.ts';
import { openDatabase } from '../../storage/open-database.ts';
import { createTransact } from '../../storage/transact.ts';
import { checkLedger } from '../check-ledger.ts';
import type { Settlement } from '../ledger.ts';
import { createLedger } from '../ledger-store.ts';

/**
 * Constraints that no correct decision can violate. An error from one means that a decision was committed which the stored rows
 * didn't allow.
 */
const fences = [
  "ALTER TABLE accounts ADD CHECK (plan = 'local' OR balance >= held)",
  'ALTER TABLE api_keys ADD CHECK (spend_limit IS NULL OR spent + held <= spend_limit)',
];

/** Opens three instances, each with its own cache, on a ledger with two accounts. */
async function openThree(plan = 'pro') {
  const gatewayDb = await openDatabase(await testDatabase());
  onTestFinished(() => gatewayDb.db.destroy());
  for (const fence of fences) await sql.raw(fence).execute(gatewayDb.db);
  const transact = createTransact(gatewayDb);
  let time = Date.UTC(2026, 10, 20);
  const now = () => time;
  const ledgers = ['a', 'b', 'c'].map((name) => createLedger({ db: gatewayDb.db, now, instanceId: `inst_${name}` }));
  const instance = (index: number) => {
    const ledger = ledgers[index % ledgers.length];
    if (!ledger) throw new Error('unreachable');
    return ledger;
  };
  for (const id of ['acct_1', 'acct_2']) {
    await gatewayDb.db
      .insertInto('accounts')
      .values({
        id,
        name: 'A',
        email: null,
        plan,
        status: 'active',
        created: 0n,
        balance: 0n,
        held: 0n,
        granted: 0n,
        used: 0n,
      })
      .execute();
    for (const key of [0, 1, 2]) {
      await gatewayDb.db
        .insertInto('api_keys')
        .values({
          id: `${id}_key_${key}`,
          account_id: id,
          digest: Buffer.from(`${id} ${key}`),
          prefix: 'p',
          label: null,
          scopes: '[]',
          created: 0n,
          parent_id: key === 0 ? null : `${id}_key_${key - 1}`,
        })
        .execute();
    }
  }
  return {
    ...gatewayDb,
    instance,
    pass(ms: number) {
      time += ms;
    },
    grant: (accountId: string, amount: bigint) =>
      transact((trx) => grantCredits(trx, { accountId, amount: nanoUsd(amount) }, time)),
    limit: (id: string, amount: bigint | null) =>
      gatewayDb.db.updateTable('api_keys').set({ spend_limit: amount }).where('id', '=', id).execute(),
    account: (id: string) =>
      gatewayDb.db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
  };
}

const getHold = (requestId: string, amount: bigint, accountId = 'acct_1', keyId: string | null = null) => ({
  requestId,
  accountId,
  keyId,
  amount: nanoUsd(amount),
  provider: 'p',
  model: 'm',
  byok: false,
  purpose: null,
  conversationId: null,
  user: null,
  metadata: {},
});

const getEnd = (requestId: string, charge: bigint): Settlement => ({
  requestId,
  status: 'succeeded',
  errorCode: null,
  charge: nanoUsd(charge),
  upstreamCost: nanoUsd(charge),
  estimated: false,
  provider: 'p',
  model: 'm',
  usage: noTokens,
  price: null,
  routing: null,
  firstTokenMs: null,
  totalMs: 1,
});

const refusals = ['insufficient_credits', 'key_spend_limit_exceeded', 'plan_limit_exceeded'];
/** Returns whether a hold was covered; rethrows anything but a refusal. */
const covered = (work: Promise<unknown>) =>
  work.then(
    () => true,
    (error: { code?: string }) => {
      if (refusals.includes(error.code ?? '')) return false;
      throw error;
    },
  );

test('three instances together spend no more on a model than its limit when they collide', async () => {
  const { instance, grant, db, dialect, log, pool } = await openThree();
  await grant('acct_1', 1_000_000n);
  const transact = createTransact({ db, dialect, log, pool });
  await transact((trx) => limitModels(trx, 'acct_1', { 'p/m': 50n }));
  const holds = await Promise.all(
    Array.from({ length: 120 }, (_, position) =>
      covered(holdDurably(instance(position), getHold(`req_${position}`, 3n))),
    ),
  );
  expect(holds.filter(Boolean)).toHaveLength(16);
  const held = holds.flatMap((isHeld, position) => (isHeld ? [position] : []));
  await Promise.all([
    ...held.map((position) => instance(position).settle(getEnd(`req_${position}`, 2n))),
    // The limit is set again while holds are being decided.
    transact((trx) => limitModels(trx, 'acct_1', { 'p/m': 60n })),
  ]);
  const more = await Promise.all(
    Array.from({ length: 60 }, (_, position) =>
      covered(holdDurably(instance(position), getHold(`req_more_${position}`, 3n))),
    ),
  );
  expect(more.filter(Boolean)).toHaveLength(9);
  expect((await checkLedger({ db, dialect })).checks.flatMap(({ problems }) => problems)).toEqual([]);
});

describe('three instances on one account', () => {
  let three: Awaited<ReturnType<typeof openThree>>;
  beforeEach(async () => {
    three = await openThree();
  });

  test('three instances refuse nobody because of rows cached before a grant, and spend no credit twice', async () => {
    const { instance, grant } = three;
    await grant('acct_1', 10n);
    for (const index of [0, 1, 2])
      expect(await covered(holdDurably(instance(index), getHold(`req_${index}`, 3n)))).toBe(true);
    for (const index of [0, 1, 2])
      expect(await covered(holdDurably(instance(index), getHold(`req_over_${index}`, 2n)))).toBe(false);
    await grant('acct_1', 1n);
    expect(await covered(holdDurably(instance(0), getHold('req_granted', 2n)))).toBe(true);
    expect(await instance(1).extend('req_1', nanoUsd(4n))).toBe(false);
    await instance(2).settle(getEnd('req_2', 2n));
    expect(await instance(1).extend('req_1', nanoUsd(4n))).toBe(true);
  });

  test('each instance applies a changed spending limit of a key with its next command', async () => {
    const { instance, grant, limit } = three;
    await grant('acct_1', 1_000n);
    const hold = (id: string) => covered(holdDurably(instance(0), getHold(id, 5n, 'acct_1', 'acct_1_key_2')));
    expect(await hold('req_1')).toBe(true);
    await limit('acct_1_key_0', 9n);
    expect(await hold('req_2')).toBe(false);
    await limit('acct_1_key_0', null);
    expect(await hold('req_3')).toBe(true);
  });

  test('three instances continue across midnight and the turn of the month', async () => {
    const { instance, grant, pass, account } = three;
    await grant('acct_1', 1_000n);
    for (const days of [1, 30]) {
      const names = Array.from({ length: 9 }, (_, index) => `req_${days}_${index}`);
      await Promise.all(names.map((name, index) => holdDurably(instance(index), getHold(name, 5n))));
      pass(days * 86_400_000);
      await Promise.all(names.map((name, index) => instance(index + 1).settle(getEnd(name, 1n))));
    }
    expect(await account('acct_1')).toMatchObject({ day: '2026-11-21', day_requests: 9n, month_used: 18n, held: 0n });
    expect((await checkLedger(three)).ok).toBe(true);
  });

  test('three instances hold no more than the balance, charge nothing twice and never wait for each other, whatever they do at once', async () => {
    const { instance, grant, limit, db } = three;
    const amount = fc.bigInt({ min: 0n, max: 40n });
    const key = fc.option(fc.integer({ min: 0, max: 2 }), { nil: null });
    const account = fc.constantFrom('acct_1', 'acct_2');
    const program = fc.array(fc.record({ account, key, amount, more: amount, charge: amount, granted: fc.boolean() }), {
      minLength: 30,
      maxLength: 60,
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        program,
        fc.option(fc.bigInt({ min: 0n, max: 200n }), { nil: null }),
        async (commands, keyLimit) => {
          run += 1;
          for (const id of ['acct_1', 'acct_2']) {
            const { spent } = await db
              .selectFrom('api_keys')
              .select('spent')
              .where('id', '=', `${id}_key_0`)
              .executeTakeFirstOrThrow();
            await limit(`${id}_key_0`, keyLimit === null ? null : spent + keyLimit);
          }
          const live = async (command: (typeof commands)[number], index: number) => {
            const name = `req_${run}_${index}`;
            const keyId = command.key === null ? null : `${command.account}_key_${command.key}`;
            if (command.granted) await grant(command.account, command.amount + 1n);
            // The same request is sent twice: an acknowledgement may have been lost.
            const held = getHold(name, command.amount, command.account, keyId);
            const both = await Promise.all([
              covered(holdDurably(instance(index), held)),
              index % 3 === 0 ? covered(holdDurably(instance(index), held)) : false,
            ]);
            // One call may be refused and the repeated one covered, when somebody grants credits between them.
            if (!both.includes(true)) return;
            const raised = await instance(index + (index % 2)).extend(name, nanoUsd(command.amount + command.more));
            const maxCharge = raised ? command.amount + command.more : command.amount;
            // The charge never exceeds the hold, so the balance covers it.
            const charge = command.charge % (maxCharge + 1n);
            const ends = await Promise.all([
              instance(index).settle(getEnd(name, charge)),
              instance(index + 1).settle(getEnd(name, charge)),
            ]);
            expect(ends).toEqual([{ charged: charge }, { charged: charge }]);
          };
          await Promise.all(commands.map(live));
        },
      ),
      { numRuns: 6 },
    );
    const report = await checkLedger(three);
    expect(report.checks.flatMap(({ problems }) => problems)).toEqual([]);
    expect(report.sums).toMatchObject({ running: 0, held_usd: '0' });
    const { rows } = await sql<{ deadlocks: bigint }>`
      select deadlocks from pg_stat_database where datname = current_database()`.execute(db);
    expect(rows).toEqual([{ deadlocks: 0n }]);
  });
});

test('three instances open exactly as many requests a day as the plan allows', async () => {
  const { instance, account } = await openThree('free');
  // Each instance has seen the day begin, but not what the others add from here on.
  for (const index of [0, 1, 2]) await holdDurably(instance(index), getHold(`req_first_${index}`, 0n));
  const answers = await Promise.all(
    Array.from({ length: 260 }, (_, index) => covered(holdDurably(instance(index), getHold(`req_${index}`, 0n)))),
  );
  expect(answers.filter(Boolean)).toHaveLength(197);
  expect(await account('acct_1')).toMatchObject({ day_requests: 200n });
});

test('a group commit finds its rows by id, whatever statements ran before it', async () => {
  const { instance, grant, db } = await openThree();
  await grant('acct_1', 1_000n);
  const [batches, perBatch] = [40, 3];
  for (let batch = 0; batch < batches; batch += 1) {
    const names = Array.from({ length: perBatch }, (_, index) => `req_${batch}_${index}`);
    await Promise.all(names.map((name) => holdDurably(instance(0), getHold(name, 2n))));
    await Promise.all(names.map((name) => instance(0).settle(getEnd(name, 1n))));
  }
  await sql`select pg_stat_force_next_flush()`.execute(db);
  const { rows } = await sql<{ index: string; read: bigint }>`
    select indexrelname as index, idx_tup_read as read from pg_stat_user_indexes
    where indexrelname in ('requests_pkey', 'requests_running')`.execute(db);
  const read = new Map(rows.map((row) => [row.index, Number(row.read)]));
  expect(read.get('requests_running')).toBe(0);
  // Each request is found three times per batch: to close it, to lock it, and for its entry. A full scan would read half of the
  // rows in each batch.
  expect(read.get('requests_pkey')).toBeGreaterThan(0);
  expect(read.get('requests_pkey')).toBeLessThan(5 * batches * perBatch);
});
