import { expect, onTestFinished, test } from 'vitest';
import { type NanoUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import { noTokens } from '#shared/price.ts';
import { holdDurably } from '../../tests/gateway-doubles/hold-durably.ts';
import { testDatabase } from '../../tests/gateway-doubles/test-database.ts';
import { createOperator, grantCredits } from '../operations/operator/operator-store.ts';
import { openDatabase } from '../storage/open-database.ts';
import { createTransact } from '../storage/transact.ts';
import { checkLedger } from './check-ledger.ts';
import { createLedger } from './ledger-store.ts';

const capped = { provider: 'lab', model: 'big/one' };
const other = { provider: 'lab', model: 'small' };
const id = 'lab/big/one';

/** Opens an account with money, two keys and a ledger, on the database engine of this run. */
async function openCapped(start = Date.UTC(2026, 10, 20)) {
  const gatewayDb = await openDatabase(await testDatabase());
  onTestFinished(() => gatewayDb.db.destroy());
  const transact = createTransact(gatewayDb);
  let time = start;
  const now = () => time;
  const ledger = createLedger({ db: gatewayDb.db, now, instanceId: 'inst_a' });
  const peppers = { current: Buffer.alloc(32), all: [Buffer.alloc(32)] } as never;
  const operator = createOperator({ db: gatewayDb.db, transact, peppers, now, credentialsChanged: () => {} });
  const account = { id: 'acct_1', name: 'A', email: null, plan: 'pro', status: 'active' as const, created: 0n };
  await gatewayDb.db
    .insertInto('accounts')
    .values({ ...account, balance: 0n, held: 0n, granted: 0n, used: 0n })
    .execute();
  await transact((trx) => grantCredits(trx, { accountId: 'acct_1', amount: parseUsd('1000') }, time));
  for (const key of ['key_app', 'key_program']) {
    const row = { id: key, account_id: 'acct_1', digest: Buffer.from(key), prefix: 'p', scopes: '[]', created: 0n };
    await gatewayDb.db.insertInto('api_keys').values(row).execute();
  }
  const request = (requestId: string, amount: bigint, model = capped, keyId = 'key_program') => ({
    requestId,
    accountId: 'acct_1',
    keyId,
    amount: nanoUsd(amount),
    provider: model.provider,
    model: model.model,
    byok: false,
    purpose: null,
    conversationId: null,
    user: null,
    metadata: {},
  });
  const hold = (...given: Parameters<typeof request>) =>
    holdDurably(ledger, request(...given)).then(
      () => 'ok',
      (error: { code?: string }) => error.code ?? String(error),
    );
  const settle = (requestId: string, charge: bigint, model = capped) =>
    ledger.settle({
      requestId,
      status: 'succeeded',
      errorCode: null,
      charge: nanoUsd(charge),
      upstreamCost: nanoUsd(charge),
      estimated: false,
      provider: model.provider,
      model: model.model,
      usage: noTokens,
      price: null,
      routing: null,
      firstTokenMs: null,
      totalMs: 1,
    });
  const limit = (models: Readonly<Record<string, bigint | null>>) =>
    operator.limitAccount('acct_1', {
      models: models as Readonly<Record<string, NanoUsd | null>>,
      exceptKey: 'key_app',
    });
  const used = async () => (await operator.accountLimits('acct_1')).models;
  const problems = async () => (await checkLedger(gatewayDb)).checks.flatMap((check) => check.problems);
  const pass = (ms: number) => {
    time += ms;
  };
  return { ...gatewayDb, ledger, request, hold, settle, limit, used, problems, pass };
}

const count = (answers: readonly string[], wanted: string) => answers.filter((answer) => answer === wanted).length;

test('a model’s limit is exact under 100 holds at once and applies neither to other models nor to the exempt key', async () => {
  const { hold, settle, limit, used, problems } = await openCapped();
  await limit({ [id]: 50n });
  const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => hold(`req_${index}`, 3n)));
  expect([count(answers, 'ok'), count(answers, 'plan_limit_exceeded')]).toEqual([16, 84]);
  expect(await hold('req_other', 1_000n, other)).toBe('ok');
  expect(await hold('req_free', 0n)).toBe('ok');
  expect(await hold('req_app', 9n, capped, 'key_app')).toBe('ok');
  expect(await problems()).toEqual([]);
  const held = answers.flatMap((answer, index) => (answer === 'ok' ? [`req_${index}`] : []));
  await Promise.all(held.map((heldId) => settle(heldId, 2n)));
  await settle('req_app', 9n);
  expect(await used()).toEqual([{ model: id, limit: 50n, used: 41n }]);
  expect([await hold('req_rest', 9n), await hold('req_over', 1n)]).toEqual(['ok', 'plan_limit_exceeded']);
  expect(await problems()).toEqual([]);
});

test('a limit set in mid-month counts earlier charges and running holds, and leaves no trace when it is removed', async () => {
  const { hold, settle, limit, used, problems, db } = await openCapped();
  expect([await hold('req_1', 20n), await hold('req_2', 10n), await hold('req_3', 5n, other)]).toEqual([
    'ok',
    'ok',
    'ok',
  ]);
  await settle('req_1', 15n);
  await limit({ [id]: 40n });
  expect(await problems()).toEqual([]);
  // 15 are spent and 10 are held.
  expect([await hold('req_4', 16n), await hold('req_5', 15n)]).toEqual(['plan_limit_exceeded', 'ok']);
  await limit({ 'lab/small': 1n });
  expect(await used()).toEqual([
    { model: id, limit: 40n, used: 15n },
    { model: 'lab/small', limit: 1n, used: 0n },
  ]);
  await settle('req_2', 10n);
  await settle('req_3', 4n, other);
  expect(await used()).toMatchObject([{ used: 25n }, { used: 4n }]);
  expect(await problems()).toEqual([]);
  await limit({ [id]: null, 'lab/small': null });
  expect(await used()).toEqual([]);
  expect(await db.selectFrom('accounts').select('model_limits').executeTakeFirst()).toEqual({ model_limits: null });
  await settle('req_5', 15n);
  expect(await hold('req_6', 500n)).toBe('ok');
});

test('a new month starts at zero and does not count requests that began in the month before', async () => {
  const { hold, settle, limit, used, problems, pass } = await openCapped();
  await limit({ [id]: 50n });
  expect([await hold('req_1', 40n), await hold('req_2', 10n)]).toEqual(['ok', 'ok']);
  await settle('req_1', 40n);
  pass(11 * 86_400_000);
  // 10 of November are still held.
  expect([await hold('req_3', 41n), await hold('req_4', 40n)]).toEqual(['plan_limit_exceeded', 'ok']);
  expect(await used()).toEqual([{ model: id, limit: 50n, used: 0n }]);
  await settle('req_4', 30n);
  await settle('req_2', 10n);
  expect(await used()).toEqual([{ model: id, limit: 50n, used: 30n }]);
  expect([await hold('req_5', 21n), await hold('req_6', 20n)]).toEqual(['plan_limit_exceeded', 'ok']);
  expect(await problems()).toEqual([]);
});

test('a request that extends its hold or moves to another model must fit that model’s limit, and its charge counts there', async () => {
  const { hold, ledger, settle, limit, used, problems } = await openCapped();
  await limit({ [id]: 50n });
  expect([await hold('req_1', 30n), await hold('req_2', 30n, other)]).toEqual(['ok', 'ok']);
  expect(await ledger.extend('req_1', nanoUsd(51n))).toBe(false);
  expect(await ledger.extend('req_1', nanoUsd(40n))).toBe(true);
  // The hold doesn't grow, but the other model's limit must cover all of it.
  expect(await ledger.extend('req_2', nanoUsd(20n), capped)).toBe(false);
  expect(await ledger.extend('req_1', nanoUsd(40n), other)).toBe(true);
  expect(await ledger.extend('req_2', nanoUsd(20n), capped)).toBe(true);
  expect(await problems()).toEqual([]);
  expect([await hold('req_3', 21n), await hold('req_4', 20n)]).toEqual(['plan_limit_exceeded', 'ok']);
  await settle('req_1', 40n, other);
  await settle('req_2', 12n);
  expect(await used()).toEqual([{ model: id, limit: 50n, used: 12n }]);
  expect(await problems()).toEqual([]);
});

test('the refusal names the model, what is left of its limit and when the limit resets', async () => {
  const { ledger, request, hold, limit } = await openCapped(Date.UTC(2026, 11, 31, 23));
  await limit({ [id]: parseUsd('0.01') });
  await hold('req_1', parseUsd('0.004'));
  await expect(holdDurably(ledger, request('req_2', parseUsd('0.007')))).rejects.toMatchObject({
    code: 'plan_limit_exceeded',
    message: expect.stringMatching(
      /spend \$0\.01 a month on lab\/big\/one, .*up to \$0\.007, \$0\.006 are left.*2027-01-01/,
    ),
    details: {
      limit: 'account_model_month_usd',
      model: id,
      limit_value: '0.01',
      resets_at: Date.UTC(2027, 0, 1) / 1000,
    },
  });
});
