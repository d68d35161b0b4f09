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
  [
    'an account with a blank name',
    ({ operator }) => operator.createAccount({ name: ' ' }),
    'invalid_input',
    /1 to 200 characters/,
  ],
  [
    'an account with a long name',
    ({ operator }) => operator.createAccount({ name: longName }),
    'invalid_input',
    /account needs a name of 1 to 200/,
  ],
  [
    'an account with an unknown plan',
    ({ operator }) => operator.createAccount({ name: 'A', plan: 'gold' }),
    'invalid_input',
    /There is no plan "gold"\. Plans: free, pro/,
  ],
  [
    'changing an account to an unknown plan',
    ({ operator, account }) => operator.setAccountPlan(account.id, 'gold'),
    'invalid_input',
    /There is no plan "gold"/,
  ],
  [
    'reading the limits of an unknown account',
    ({ operator }) => operator.accountLimits('acct_x'),
    'not_found',
    noAccount,
  ],
  ['a plan for an unknown account', ({ operator }) => operator.setAccountPlan('acct_x', 'pro'), 'not_found', noAccount],
  [
    'a status for an unknown account',
    ({ operator }) => operator.setAccountStatus('acct_x', 'suspended'),
    'not_found',
    noAccount,
  ],
  [
    'limits for an unknown account',
    ({ operator }) => operator.limitAccount('acct_x', { day: null, month: null, exceptKey: null }),
    'not_found',
    noAccount,
  ],
  [
    'a key for an unknown account',
    ({ operator }) => operator.createKey({ accountId: 'acct_x' }),
    'not_found',
    noAccount,
  ],
  ['listing the keys of an unknown account', ({ operator }) => operator.listKeys('acct_x'), 'not_found', noAccount],
  [
    'a key with a negative limit',
    ({ operator, account }) => operator.createKey({ accountId: account.id, spendLimit: nanoUsd(-1n) }),
    'invalid_input',
    /limit of a key cannot be negative/,
  ],
  [
    'a key that has expired already',
    ({ operator, account, now }) => operator.createKey({ accountId: account.id, expiresAt: now() }),
    'invalid_input',
    /would have expired already/,
  ],
  ['revoking an unknown key', ({ operator }) => operator.revokeKey('key_x'), 'not_found', /no API key "key_x"/],
  [
    'a user for an unknown account',
    ({ operator }) => operator.createUser({ accountId: 'acct_x', name: 'A' }),
    'not_found',
    noAccount,
  ],
  ['listing the users of an unknown account', ({ operator }) => operator.listUsers('acct_x'), 'not_found', noAccount],
  [
    'a user with a blank name',
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
  ['a status for an unknown user', ({ operator }) => operator.setUserStatus('usr_x', 'disabled'), 'not_found', noUser],
  ['revoking the tokens of an unknown user', ({ operator }) => operator.revokeTokens('usr_x'), 'not_found', noUser],
  [
    'revoking the tokens of an unknown account',
    ({ operator }) => operator.revokeTokens('acct_x'),
    'not_found',
    noAccount,
  ],
  [
    'revoking the tokens of a key',
    ({ operator }) => operator.revokeTokens('key_1'),
    'invalid_input',
    /not the id of a token/,
  ],
  [
    'a token for an unknown user',
    ({ operator }) => operator.issueToken({ userId: 'usr_x', scopes: ['chat'], lifetimeS: 60 }),
    'not_found',
    noUser,
  ],
  [
    'a token with a lifetime of zero',
    (bench) => tokenFor(bench, 0),
    'invalid_input',
    /at least one second and at most 24 hours/,
  ],
  ['a token with a fractional lifetime', (bench) => tokenFor(bench, 1.5), 'invalid_input', /at least one second/],
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
  ['a grant of zero', (bench) => getGrant(bench, 0n), 'invalid_input', /more than \$0/],
  ['a negative grant', (bench) => getGrant(bench, -1n), 'invalid_input', /more than \$0/],
  [
    'a grant above the maximum',
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
