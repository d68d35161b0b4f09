import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { nanoUsd } from '#shared/money.ts';
import { openTokenBench, type TokenBench } from '../../../tests/gateway-doubles/token-bench.ts';
import { openOperator } from '../../cli/on-database.ts';

type Refused = readonly [what: string, ask: (bench: TokenBench) => Promise<unknown>, code: string, sentence: RegExp];

const noAccount = /^There is no account "acct_x"\.$/;
const noUser = /^There is no user "usr_x"\.$/;
const longName = 'x'.repeat(201);
const getGrant = ({ operator, account }: TokenBench, amount: bigint) =>
  operator.grant({ accountId: account.id, amount: nanoUsd(amount) });
const tokenFor = ({ operator, user }: TokenBench, lifetimeS: number) =>
  operator.issueToken({ userId: user.id, scopes: ['chat'], lifetimeS });

/** Invalid input for each command, and its refusal: one sentence that names the fault. */
const refused: readonly Refused[] = [
  ['a blank account', ({ operator }) => operator.createAccount({ name: ' ' }), 'invalid_input', /1 to 200 characters/],
  [
    'an account with a long name',
    ({ operator }) => operator.createAccount({ name: longName }),
    'invalid_input',
    /account needs a name of 1 to 200/,
  ],
  [
    'an account on no plan',
    ({ operator }) => operator.createAccount({ name: 'A', plan: 'gold' }),
    'invalid_input',
    /There is no plan "gold"\. Plans: free, pro/,
  ],
  [
    'no plan for an account',
    ({ operator, account }) => operator.setAccountPlan(account.id, 'gold'),
    'invalid_input',
    /There is no plan "gold"/,
  ],
  ['the limits of nobody', ({ operator }) => operator.accountLimits('acct_x'), 'not_found', noAccount],
  ['a plan for nobody', ({ operator }) => operator.setAccountPlan('acct_x', 'pro'), 'not_found', noAccount],
  ['a status of nobody', ({ operator }) => operator.setAccountStatus('acct_x', 'suspended'), 'not_found', noAccount],
  [
    'limits of nobody',
    ({ operator }) => operator.limitAccount('acct_x', { day: null, month: null, exceptKey: null }),
    'not_found',
    noAccount,
  ],
  ['a key of nobody', ({ operator }) => operator.createKey({ accountId: 'acct_x' }), 'not_found', noAccount],
  ['keys of nobody', ({ operator }) => operator.listKeys('acct_x'), 'not_found', noAccount],
  [
    'a key with less than no money',
    ({ operator, account }) => operator.createKey({ accountId: account.id, spendLimit: nanoUsd(-1n) }),
    'invalid_input',
    /limit of a key cannot be negative/,
  ],
  [
    'a key that has ended',
    ({ operator, account, now }) => operator.createKey({ accountId: account.id, expiresAt: now() }),
    'invalid_input',
    /would have expired already/,
  ],
  ['the end of no key', ({ operator }) => operator.revokeKey('key_x'), 'not_found', /no API key "key_x"/],
  [
    'a user of nobody',
    ({ operator }) => operator.createUser({ accountId: 'acct_x', name: 'A' }),
    'not_found',
    noAccount,
  ],
  ['users of nobody', ({ operator }) => operator.listUsers('acct_x'), 'not_found', noAccount],
  [
    'a blank user',
    ({ operator, account }) => operator.createUser({ accountId: account.id, name: ' ' }),
    'invalid_input',
    /user needs a name of 1 to 200/,
  ],
  [
    'a user with a long name',
    ({ operator, account }) => operator.createUser({ accountId: account.id, name: longName }),
    'invalid_input',
    /user needs a name of 1 to 200/,
  ],
  ['a status of no user', ({ operator }) => operator.setUserStatus('usr_x', 'disabled'), 'not_found', noUser],
  ['the tokens of no user', ({ operator }) => operator.revokeTokens('usr_x'), 'not_found', noUser],
  ['the tokens of no account', ({ operator }) => operator.revokeTokens('acct_x'), 'not_found', noAccount],
  ['the tokens of a key', ({ operator }) => operator.revokeTokens('key_1'), 'invalid_input', /not the id of a token/],
  [
    'a token for no user',
    ({ operator }) => operator.issueToken({ userId: 'usr_x', scopes: ['chat'], lifetimeS: 60 }),
    'not_found',
    noUser,
  ],
  ['a token that is over', (bench) => tokenFor(bench, 0), 'invalid_input', /at least one second and at most 24 hours/],
  ['a token for a part of a second', (bench) => tokenFor(bench, 1.5), 'invalid_input', /at least one second/],
  ['a token for more than a day', (bench) => tokenFor(bench, 86_401), 'invalid_input', /at most 24 hours/],
  [
    'a token for a disabled user',
    async (bench) => {
      await bench.operator.setUserStatus(bench.user.id, 'disabled');
      await tokenFor(bench, 60).finally(() => bench.operator.setUserStatus(bench.user.id, 'active'));
    },
    'invalid_input',
    /is disabled/,
  ],
  ['a grant of nothing', (bench) => getGrant(bench, 0n), 'invalid_input', /more than \$0/],
  ['a grant of less than nothing', (bench) => getGrant(bench, -1n), 'invalid_input', /more than \$0/],
  [
    'a grant by a slip of the pen',
    (bench) => getGrant(bench, 10n ** 18n + 1n),
    'invalid_input',
    /at most \$1,000,000,000/,
  ],
];

let bench: TokenBench;
beforeAll(async () => {
  bench = await openTokenBench();
});
afterAll(() => bench.close());

test.each(refused)('%s is refused, and the ledger stays unchanged', async (_what, ask, code, sentence) => {
  await expect(ask(bench)).rejects.toMatchObject({ code, message: expect.stringMatching(sentence) });
  const [account, ...others] = await bench.operator.listAccounts();
  expect([account, others]).toEqual([bench.account, []]);
  expect(await bench.operator.listKeys(bench.account.id)).toEqual([]);
  expect(await bench.operator.listUsers(bench.account.id)).toEqual([bench.user]);
});

test('a mistyped path creates no database', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-operator-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const database = join(folder, 'mistyped.db');
  const opening = openOperator({ database, env: {}, now: Date.now, mayCreate: false });
  await expect(opening).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining(`There is no database "${database}"`),
  });
  expect(existsSync(database)).toBe(false);
});
