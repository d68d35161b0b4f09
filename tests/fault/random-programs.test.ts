import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nanoUsd, parseUsd, picoUsd } from '#shared/money.ts';
import { noTokens, type Price } from '#shared/price.ts';
import { byokFee } from '../../gateway/ledger/byok-fee.ts';
import { checkLedger } from '../../gateway/ledger/check-ledger.ts';
import { createLedger } from '../../gateway/ledger/ledger-store.ts';
import { sweepEarlierInstances, sweepExpired } from '../../gateway/ledger/sweeper.ts';
import { grantCredits } from '../../gateway/operations/operator/operator-store.ts';
import { type GatewayDb, openDatabase } from '../../gateway/storage/open-database.ts';
import { createTransact } from '../../gateway/storage/transact.ts';
import { holdDurably } from '../gateway-doubles/hold-durably.ts';
import { postgresPrograms, startPostgres, type TestPostgres } from '../gateway-doubles/start-postgres.ts';
import { figure } from '../support/figures.ts';
import { burstPrefix, createPaperLedger, type KeyName, keyNames, parents, type Step } from '../support/paper-ledger.ts';

const long = Boolean(process.env.PORTICO_LONG);
const steps = 60;

const programs = postgresPrograms();
let postgres: TestPostgres | null = null;
beforeAll(async () => {
  if (programs) postgres = await startPostgres(programs);
});
afterAll(() => postgres?.stop());

/** `PORTICO_LONG=1` runs 2,000 programs on each; the ordinary run fewer. */
const engines = [
  { engine: 'SQLite', count: long ? 2_000 : 60, fresh: async () => ':memory:' },
  { engine: 'PostgreSQL', count: long ? 2_000 : 6, fresh: async () => (await postgres?.createDatabase()) ?? '' },
].filter(({ engine }) => engine === 'SQLite' || programs !== null);

const plans = {
  free: { prepaid: true, perDay: 200n, perMonth: parseUsd('5') },
  pro: { prepaid: true, perDay: null, perMonth: parseUsd('200') },
  local: { prepaid: false, perDay: null, perMonth: null },
} as const;

const day = 86_400_000;
/** From single nano-dollars to amounts that reach the monthly quotas. */
const amount = fc.oneof(fc.bigInt({ min: 0n, max: 50n }), fc.bigInt({ min: 0n, max: 2_000_000_000n }));
/** Basis points of a fee. */
const bps = fc.oneof(fc.integer({ min: 0, max: 10_000 }), fc.constantFrom(0, 1, 10_000));
const slot = fc.integer({ min: 0, max: 11 });
const key = fc.option(fc.constantFrom(...keyNames), { nil: null });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('hold' as const), slot, key, amount, byok: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('extend' as const), slot, amount }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('settle' as const), slot, amount, bps }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('release' as const, 'renew' as const), slot }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('grant' as const),
      id: fc.integer({ min: 0, max: 9 }),
      amount: amount.map((value) => value + 1n),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('limit' as const),
      key: fc.constantFrom(...keyNames.slice(1)),
      amount: fc.option(amount, { nil: null }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('burst' as const), key, count: fc.integer({ min: 2, max: 9 }), amount }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      ms: fc.constantFrom(1, 30_000, 61_000, 21 * 60_000, day, 11 * day, 31 * day),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('sweep' as const, 'crash' as const, 'crash alone' as const) }),
  },
);

test.each(engines)(
  `$count random programs of ${steps} steps give the same results on $engine as the ledger on paper`,
  {
    timeout: 7_200_000,
  },
  async ({ engine, count, fresh }) => {
    const gatewayDb = await openDatabase(await fresh());
    const { db } = gatewayDb;
    const transact = createTransact(gatewayDb);
    let program = 0;

    async function begin(plan: keyof typeof plans) {
      program += 1;
      const id = `acct_${program}`;
      const paper = createPaperLedger(plans[plan], Date.UTC(2026, 10, 20));
      await db
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
      const keyId = (name: KeyName) => `key_${program}_${keyNames.indexOf(name)}`;
      for (const name of keyNames) {
        const parent = parents[name];
        await db
          .insertInto('api_keys')
          .values({
            id: keyId(name),
            account_id: id,
            digest: Buffer.from(keyId(name)),
            prefix: 'p',
            scopes: '[]',
            created: 0n,
            parent_id: parent === null ? null : keyId(parent),
          })
          .execute();
      }
      const instanceId = () => `inst_${program}_${paper.instance()}`;
      const ledger = () => createLedger({ db, now: paper.now, instanceId: instanceId() });
      const sweeping = () => ({ db, ledger: ledger(), now: paper.now, instanceId: instanceId() });
      const requestId = (name: string) => `req_${program}_${name}`;
      const hold = (name: string, used: KeyName | null, held: bigint, byok = false) =>
        getCode(
          holdDurably(ledger(), {
            requestId: requestId(name),
            accountId: id,
            keyId: used === null ? null : keyId(used),
            amount: nanoUsd(held),
            provider: 'p',
            model: 'm',
            byok,
            purpose: null,
            conversationId: null,
            user: null,
            metadata: {},
          }),
        );
      const settle = (name: string, charge: bigint, fee: Fee = {}) =>
        ledger()
          .settle({
            requestId: requestId(name),
            status: charge === 0n ? 'failed' : 'succeeded',
            errorCode: null,
            charge: nanoUsd(charge),
            upstreamCost: nanoUsd(charge),
            estimated: false,
            provider: 'p',
            model: 'm',
            usage: threeTokens,
            price: null,
            routing: null,
            firstTokenMs: null,
            totalMs: 1,
            ...fee,
          })
          .then(
            ({ charged }): unknown => charged,
            () => 'unknown',
          );

      /** Makes many holds at once, then settles each twice at once. Each must be charged once. */
      async function burst({ key: used, count: wanted, amount: held }: Extract<Step, { do: 'burst' }>, number: number) {
        const names = Array.from({ length: wanted }, (_, index) => `${burstPrefix(number)}${index}`);
        const answers = await Promise.all(names.map((name) => hold(name, used, held)));
        const charge = held < 7n ? held : 7n;
        const covered = names.filter((_, index) => answers[index] === 'ok');
        const settled = await Promise.all([...covered, ...covered].map((name) => settle(name, charge)));
        expect(settled.every((charged) => charged === charge)).toBe(true);
        return { answers: answers.toSorted(), charge };
      }

      /** A fee is settled together with the price that it is a share of, so that the ledger check can recompute it. */
      function end({ slot, amount: perToken, bps }: Extract<Step, { do: 'settle' }>) {
        if (!paper.isOwnKey(slot)) return settle(`slot-${slot}`, perToken);
        const price = parsePricing(perToken);
        return settle(`slot-${slot}`, byokFee(price, threeTokens, bps), { byokFeeBps: bps, price });
      }

      async function apply(next: Step, burstNumber: number): Promise<unknown> {
        switch (next.do) {
          case 'hold':
            return hold(`slot-${next.slot}`, next.key, next.amount, next.byok);
          case 'extend':
            return ledger().extend(requestId(`slot-${next.slot}`), nanoUsd(next.amount));
          case 'settle':
            return end(next);
          case 'release':
            return settle(`slot-${next.slot}`, 0n);
          case 'renew':
            return getCode(ledger().renew(requestId(`slot-${next.slot}`)));
          case 'grant': {
            const grant = { accountId: id, amount: nanoUsd(next.amount), id: `grant_${program}_${next.id}` };
            return getCode(transact((trx) => grantCredits(trx, grant, paper.now())));
          }
          case 'limit':
            await db
              .updateTable('api_keys')
              .set({ spend_limit: next.amount })
              .where('id', '=', keyId(next.key))
              .execute();
            return 'ok';
          case 'burst':
            return burst(next, burstNumber);
          case 'sweep':
            return sweepExpired(sweeping());
          case 'crash alone':
            return sweepEarlierInstances(sweeping());
          default:
            return 'ok';
        }
      }

      async function state() {
        const { balance, held, granted, used, day_requests, month_used, ...row } = await db
          .selectFrom('accounts')
          .selectAll()
          .where('id', '=', id)
          .executeTakeFirstOrThrow();
        const rows = await db.selectFrom('api_keys').selectAll().where('account_id', '=', id).orderBy('id').execute();
        return {
          fees: -(await getFees(db, id)),
          account: { balance, held, granted, used, day: row.day, day_requests, month: row.month, month_used },
          keys: Object.fromEntries(
            rows.map((row, index) => [keyNames[index], { limit: row.spend_limit, spent: row.spent, held: row.held }]),
          ),
        };
      }

      return { paper, apply, state };
    }

    const property = fc.asyncProperty(
      fc.constantFrom('free', 'pro', 'local'),
      fc.array(step, { minLength: steps, maxLength: steps, size: 'max' }),
      async (plan, program) => {
        const { paper, apply, state } = await begin(plan);
        for (const next of [...program, { do: 'crash alone' } as const]) {
          const burstNumber = paper.bursts();
          const expected = paper.apply(next);
          expect(await apply(next, burstNumber)).toEqual(expected);
          expect(await state()).toEqual({ fees: paper.fees(), account: paper.account, keys: paper.keys });
        }
        expect(paper.account.held).toBe(0n);
      },
    );
    await fc.assert(property, { numRuns: count });
    const report = await checkLedger(gatewayDb);
    expect(report.checks.flatMap(({ problems }) => problems)).toEqual([]);
    expect(report.sums).toMatchObject({ running: 0, held_usd: '0' });
    expect(report.sums.accounts).toBeGreaterThanOrEqual(count);
    await db.destroy();
    figure('ledger on paper', `${count} programs of ${steps} steps on ${engine}, no difference`);
  },
);

type Fee = { readonly byokFeeBps?: number; readonly price?: Price };

const threeTokens = { ...noTokens, promptTokens: 3 };
const parsePricing = (nanoPerToken: bigint): Price => ({
  prompt: picoUsd(nanoPerToken * 1_000n),
  completion: picoUsd(0n),
  request: picoUsd(0n),
  cacheRead: null,
  cacheWrite: null,
  tiers: [],
});

async function getFees(db: GatewayDb, accountId: string): Promise<bigint> {
  const fees = db.selectFrom('ledger_entries').select('amount').where('type', '=', 'byok_fee');
  const rows = await fees.where('account_id', '=', accountId).execute();
  return rows.reduce((sum, { amount }) => sum + amount, 0n);
}

const getCode = (work: Promise<unknown>) =>
  work.then(
    () => 'ok',
    (error: { code?: string }) => error.code ?? String(error),
  );
