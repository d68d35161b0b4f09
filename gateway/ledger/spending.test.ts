import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { nanoUsd, parseUsd } from '#shared/money.ts';
import { noTokens } from '#shared/price.ts';
import { holdDurably } from '../../tests/gateway-doubles/hold-durably.ts';
import { postgresPrograms, startPostgres, type TestPostgres } from '../../tests/gateway-doubles/start-postgres.ts';
import { grantCredits } from '../operations/operator/operator-store.ts';
import { openDatabase } from '../storage/open-database.ts';
import { createTransact } from '../storage/transact.ts';
import { checkLedger } from './check-ledger.ts';
import { createLedger } from './ledger-store.ts';

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
  { engine: 'SQLite', database: async () => ':memory:' },
  { engine: 'PostgreSQL', database: async () => (await postgres?.createDatabase()) ?? '' },
].filter(({ engine }) => engine === 'SQLite' || programs !== null);

interface KeyLimits {
  readonly spend_limit?: bigint;
  readonly parent_id?: string;
}

async function openSpending(url: string, plan = 'pro', start = Date.UTC(2026, 10, 20)) {
  const gatewayDb = await openDatabase(url);
  closers.push(() => gatewayDb.db.destroy());
  const transact = createTransact(gatewayDb);
  let time = start;
  const now = () => time;
  const ledger = createLedger({ db: gatewayDb.db, now, instanceId: 'inst_a' });
  const account = { id: 'acct_1', name: 'A', email: null, plan, status: 'active' as const, created: 0n };
  await gatewayDb.db
    .insertInto('accounts')
    .values({ ...account, balance: 0n, held: 0n, granted: 0n, used: 0n })
    .execute();
  await transact((trx) => grantCredits(trx, { accountId: 'acct_1', amount: parseUsd('1000') }, time));
  const addKey = (id: string, limits: KeyLimits = {}) =>
    gatewayDb.db
      .insertInto('api_keys')
      .values({
        id,
        account_id: 'acct_1',
        digest: Buffer.from(id),
        prefix: 'p',
        label: null,
        scopes: '[]',
        created: 0n,
        ...limits,
      })
      .execute();
  const readKey = (id: string) =>
    gatewayDb.db.selectFrom('api_keys').select(['spent', 'held']).where('id', '=', id).executeTakeFirstOrThrow();
  const hold = (requestId: string, amount: bigint, keyId: string | null = null) =>
    holdDurably(ledger, {
      requestId,
      accountId: 'acct_1',
      keyId,
      amount: nanoUsd(amount),
      provider: 'sandbox',
      model: 'echo',
      byok: false,
      purpose: null,
      conversationId: null,
      user: null,
      metadata: {},
    }).then(
      () => 'ok',
      (error: { code?: string }) => error.code ?? String(error),
    );
  const settle = (requestId: string, charge: bigint) =>
    ledger.settle({
      requestId,
      status: 'succeeded',
      errorCode: null,
      charge: nanoUsd(charge),
      upstreamCost: nanoUsd(charge),
      estimated: false,
      provider: 'sandbox',
      model: 'echo',
      usage: noTokens,
      price: null,
      routing: null,
      firstTokenMs: null,
      totalMs: 1,
    });
  const pass = (ms: number) => {
    time += ms;
  };
  return { ...gatewayDb, ledger, addKey, readKey, hold, settle, pass };
}

const count = (answers: readonly string[], wanted: string) => answers.filter((answer) => answer === wanted).length;

describe.each(engines)('a key’s spending limit on $engine', ({ database }) => {
  test('a key’s spending limit is exact under 100 holds at once and frees what was not used', async () => {
    const { addKey, hold, settle, readKey } = await openSpending(await database());
    await addKey('key_1', { spend_limit: 50n });
    const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => hold(`req_${index}`, 3n, 'key_1')));
    expect([count(answers, 'ok'), count(answers, 'key_spend_limit_exceeded')]).toEqual([16, 84]);
    expect(await readKey('key_1')).toEqual({ spent: 0n, held: 48n });
    const held = answers.flatMap((answer, index) => (answer === 'ok' ? [`req_${index}`] : []));
    await Promise.all(held.map((id) => settle(id, 2n)));
    expect(await readKey('key_1')).toEqual({ spent: 32n, held: 0n });
    expect(await hold('req_more', 18n, 'key_1')).toBe('ok');
    expect(await hold('req_over', 1n, 'key_1')).toBe('key_spend_limit_exceeded');
    expect(await hold('req_free', 0n, 'key_1')).toBe('ok');
  });

  test('a key’s spending limit also covers the keys that it minted', async () => {
    const { addKey, hold, readKey, settle } = await openSpending(await database());
    await addKey('key_1', { spend_limit: 50n });
    await addKey('key_2', { spend_limit: 50n, parent_id: 'key_1' });
    await addKey('key_3', { spend_limit: 10n, parent_id: 'key_2' });
    await addKey('key_4', { parent_id: 'key_2' });
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => hold(`req_${index}`, 3n, `key_${1 + (index % 4)}`)),
    );
    expect([count(answers, 'ok'), count(answers, 'key_spend_limit_exceeded')]).toEqual([16, 84]);
    expect(await readKey('key_1')).toMatchObject({ held: 48n });
    expect((await readKey('key_3')).held).toBeLessThanOrEqual(10n);
    const held = answers.flatMap((answer, index) => (answer === 'ok' ? [`req_${index}`] : []));
    await Promise.all(held.map((id) => settle(id, 3n)));
    expect(await readKey('key_1')).toEqual({ spent: 48n, held: 0n });
  });

  test('a key’s spending limit stops a running request from extending its hold, and the refusal contains what is left', async () => {
    const { addKey, hold, ledger, readKey } = await openSpending(await database());
    await addKey('key_1', { spend_limit: parseUsd('0.01') });
    await hold('req_1', parseUsd('0.004'), 'key_1');
    expect(await ledger.extend('req_1', parseUsd('0.009'))).toBe(true);
    expect(await ledger.extend('req_1', parseUsd('0.014'))).toBe(false);
    expect(await readKey('key_1')).toEqual({ spent: 0n, held: parseUsd('0.009') });
    const refused = holdDurably(ledger, {
      requestId: 'req_2',
      accountId: 'acct_1',
      keyId: 'key_1',
      amount: parseUsd('0.002'),
      provider: 'p',
      model: 'm',
      byok: false,
      purpose: null,
      conversationId: null,
      user: null,
      metadata: {},
    });
    await expect(refused).rejects.toMatchObject({
      code: 'key_spend_limit_exceeded',
      details: { limit_usd: '0.01', needed_usd: '0.002', available_usd: '0.001' },
    });
  });
});

describe.each(engines)('an account’s own limits on $engine', ({ database }) => {
  test('an account’s limits apply to all keys but the exempt one, and are exact by day and month under many holds at once', async () => {
    const { addKey, db, dialect, hold, ledger, settle, pass } = await openSpending(await database());
    await addKey('key_app');
    await addKey('key_program');
    const limits = { day_limit: 50n, month_limit: 80n, unlimited_key: 'key_app' };
    await db.updateTable('accounts').set(limits).execute();
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) => hold(`req_${index}`, 3n, 'key_program')),
    );
    expect([count(answers, 'ok'), count(answers, 'plan_limit_exceeded')]).toEqual([16, 14]);
    expect(await hold('req_app', 5n, 'key_app')).toBe('ok');
    expect([await ledger.extend('req_app', nanoUsd(9n)), await ledger.extend('req_0', nanoUsd(4n))].sort()).toEqual(
      answers[0] === 'ok' ? [false, true] : [false, false],
    );
    const held = answers.flatMap((answer, index) => (answer === 'ok' ? [`req_${index}`] : []));
    await Promise.all(held.map((id) => settle(id, 2n)));
    await settle('req_app', 9n);
    // 41 of 50 are used up.
    expect(await hold('req_rest', 9n, 'key_program')).toBe('ok');
    expect(await hold('req_over', 1n, 'key_program')).toBe('plan_limit_exceeded');
    expect(await hold('req_free', 0n, 'key_program')).toBe('ok');
    await settle('req_rest', 9n);
    pass(86_400_000);
    // The day starts anew, and 30 of the month are left.
    expect(await hold('req_month', 31n, 'key_program')).toBe('plan_limit_exceeded');
    expect(await hold('req_tomorrow', 30n, 'key_program')).toBe('ok');
    await settle('req_tomorrow', 30n);
    expect(await hold('req_past', 1n, null)).toBe('plan_limit_exceeded');
    await db.updateTable('accounts').set({ month_limit: 81n }).execute();
    expect(await hold('req_raised', 1n, 'key_program')).toBe('ok');
    await settle('req_raised', 1n);
    expect(await db.selectFrom('accounts').select(['day_used', 'month_used']).executeTakeFirst()).toEqual({
      day_used: 31n,
      month_used: 81n,
    });
    expect((await checkLedger({ db, dialect })).checks.flatMap((check) => check.problems)).toEqual([]);
  });
});

describe.each(engines)('a plan’s quotas on $engine', ({ database }) => {
  test('requests a day: exactly as many as the plan allows, from 300 at once, and again the next day', async () => {
    const { hold, pass, db } = await openSpending(await database(), 'free');
    const answers = await Promise.all(Array.from({ length: 300 }, (_, index) => hold(`req_${index}`, 0n)));
    expect([count(answers, 'ok'), count(answers, 'plan_limit_exceeded')]).toEqual([200, 100]);
    pass(86_400_000);
    expect(await hold('req_tomorrow', 0n)).toBe('ok');
    expect(await db.selectFrom('accounts').select(['day', 'day_requests']).executeTakeFirst()).toEqual({
      day: '2026-11-21',
      day_requests: 1n,
    });
  });

  test('requests a day: an instance whose clock is still on yesterday does not restart the day', async () => {
    const { hold, pass, db, dialect } = await openSpending(await database(), 'free');
    pass(86_400_000);
    expect(await hold('req_today', 0n)).toBe('ok');
    pass(-1_000);
    expect(await hold('req_yesterday', 0n)).toBe('ok');
    pass(1_000);
    expect(await hold('req_today_too', 0n)).toBe('ok');
    expect(await db.selectFrom('accounts').select(['day', 'day_requests']).executeTakeFirst()).toEqual({
      day: '2026-11-21',
      day_requests: 2n,
    });
    expect((await checkLedger({ db, dialect })).checks.flatMap((check) => check.problems)).toEqual([]);
  });

  test('money a month: charges and holds never exceed it, and the next month starts at zero', async () => {
    const { hold, settle, pass } = await openSpending(await database(), 'free');
    const dollar = parseUsd('1');
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => hold(`req_${index}`, dollar)));
    expect([count(answers, 'ok'), count(answers, 'plan_limit_exceeded')]).toEqual([5, 15]);
    const held = answers.flatMap((answer, index) => (answer === 'ok' ? [`req_${index}`] : []));
    for (const id of held.slice(0, 4)) await settle(id, dollar);
    expect(await hold('req_over', 1n)).toBe('plan_limit_exceeded');
    expect(await hold('req_own_key', 0n)).toBe('ok');
    pass(11 * 86_400_000);
    expect(await hold('req_december', parseUsd('4'))).toBe('ok');
    await settle('req_december', parseUsd('4'));
    await settle(held[4] ?? '', dollar);
    expect(await hold('req_december_2', dollar)).toBe('ok');
  });

  test('the refusal by a quota contains the time at which it resets', async () => {
    const { ledger } = await openSpending(await database(), 'free', Date.UTC(2026, 11, 31, 23));
    const refused = holdDurably(ledger, {
      requestId: 'req_1',
      accountId: 'acct_1',
      keyId: null,
      amount: parseUsd('6'),
      provider: 'p',
      model: 'm',
      byok: false,
      purpose: null,
      conversationId: null,
      user: null,
      metadata: {},
    });
    await expect(refused).rejects.toMatchObject({
      code: 'plan_limit_exceeded',
      details: { limit: 'monthly_spend_usd', limit_value: '5', resets_at: Date.UTC(2027, 0, 1) / 1000 },
    });
  });
});
