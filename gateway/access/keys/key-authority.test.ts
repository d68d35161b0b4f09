import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import type { Scope } from '#shared/wire/account.ts';
import { as, openKeys } from '../../../tests/gateway-doubles/open-keys.ts';
import { testNow } from '../../../tests/gateway-doubles/open-test-gateway.ts';
import {
  mayChange,
  mayEnd,
  mayMint,
  type Paper,
  type PaperAccount,
  type PaperUser,
  toRefusal,
  type Wish,
  worth,
} from '../../../tests/gateway-doubles/paper-keys.ts';
import { onPostgres, sharedDatabase } from '../../../tests/gateway-doubles/test-database.ts';
import { openDatabase } from '../../storage/open-database.ts';
import { allScopes, clientScopes } from '../auth/scopes.ts';

const long = Boolean(process.env.PORTICO_LONG);
/** `PORTICO_LONG=1` runs 500 random programs on each engine. An ordinary run has only some. */
const programs = long ? 500 : onPostgres() ? 3 : 8;

const anyIndex = fc.nat(1000);
const scopes = fc.subarray([...allScopes]).map((list): readonly Scope[] => list);
/** Mostly all scopes, including those that minting needs, so that trees become deep. */
const someScopes = fc.oneof({ weight: 3, arbitrary: fc.constant(allScopes) }, { weight: 1, arbitrary: scopes });
/** Seconds from now, and nano-dollars. */
const wish = fc.record(
  { scopes: someScopes, end: fc.integer({ min: -5, max: 900 }), limit: fc.integer({ min: 0, max: 50 }) },
  { requiredKeys: [] },
);
const bounds = fc.record(
  { end: fc.integer({ min: -5, max: 900 }), limit: fc.integer({ min: 0, max: 50 }) },
  { requiredKeys: [] },
);
const step = fc.oneof(
  { weight: 10, arbitrary: fc.record({ do: fc.constant('mint' as const), by: anyIndex, wish }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('make' as const), wish }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('login' as const),
      user: anyIndex,
      scopes: someScopes,
      for: fc.integer({ min: 1, max: 900 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('end' as const), by: anyIndex, key: anyIndex }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('change' as const), by: anyIndex, key: anyIndex, wish: bounds }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('revoke' as const), key: anyIndex }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('narrow' as const), key: anyIndex, scopes }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('revoke token' as const), key: anyIndex }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom('sign out' as const, 'disable' as const, 'enable' as const),
      user: anyIndex,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('sign all out' as const, 'suspend' as const, 'resume' as const) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: 300 }) }) },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

const usd = (nano: number) => formatUsd(nanoUsd(BigInt(nano)));
const getBody = ({ scopes, end, limit }: Wish) => ({
  ...(scopes ? { scopes } : {}),
  ...(end === undefined ? {} : { expires_at: end }),
  ...(limit === undefined ? {} : { spend_limit_usd: usd(limit) }),
});

async function open() {
  const folder = mkdtempSync(join(tmpdir(), 'portico-authority-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const database = await sharedDatabase(folder);
  const opened = await openKeys({ database });
  const gatewayDb = await openDatabase(database);
  onTestFinished(() => gatewayDb.db.destroy());
  let now = testNow / 1000;
  const wait = (seconds: number) => {
    opened.pass(seconds * 1000);
    now += seconds;
  };
  return { ...opened, db: gatewayDb.db, now: () => now, wait };
}
type Opened = Awaited<ReturnType<typeof open>>;

/** Opens an account with two users and a key that manages it, beside a model of the same. */
async function openWorld(opened: Opened) {
  const { operator } = opened.gateway;
  const { id: accountId } = await operator.createAccount({ name: 'A' });
  const account: PaperAccount = { suspended: false, tokensFrom: 0 };
  const newUser = async (): Promise<PaperUser> => {
    const { id } = await operator.createUser({ accountId, name: 'Ada' });
    return { id, disabled: false, tokensFrom: 0 };
  };
  const users = [await newUser(), await newUser()];
  const all: Paper[] = [];
  const keys = () => all.filter(({ user }) => user === null);
  const write = (made: Partial<Paper> & Pick<Paper, 'id' | 'secret' | 'scopes'>) =>
    all.push({ parent: null, user: null, issued: 0, end: Infinity, limit: Infinity, revoked: false, ...made });

  async function make({ scopes = clientScopes, end, limit }: Wish): Promise<void> {
    if (end !== undefined && end <= opened.now()) return;
    const made = await operator.createKey({
      accountId,
      scopes,
      ...(end === undefined ? {} : { expiresAt: end * 1000 }),
      ...(limit === undefined ? {} : { spendLimit: parseUsd(usd(limit)) }),
    });
    write({ id: made.id, secret: made.key, scopes, end: end ?? Infinity, limit: limit ?? Infinity });
  }

  async function mint(by: Paper, wanted: Wish): Promise<void> {
    const answer = await opened.post('/v1/keys', getBody(wanted), as(by.secret));
    const made = await answer.json();
    expect([answer.status === 201, made.error?.code]).toEqual([
      mayMint(by, wanted, account, opened.now()),
      made.error?.code,
    ]);
    if (answer.status !== 201) return;
    const own = worth(by);
    const scopes = wanted.scopes ?? own.scopes.filter((item) => clientScopes.includes(item));
    write({
      id: made.id,
      secret: made.key,
      parent: by,
      scopes,
      end: wanted.end ?? own.end,
      limit: wanted.limit ?? own.limit,
    });
  }

  async function login(user: PaperUser, scopes: readonly Scope[], seconds: number): Promise<void> {
    if (user.disabled) return;
    const issued = Math.max(opened.now(), user.tokensFrom, account.tokensFrom);
    const made = await operator.issueToken({ userId: user.id, scopes, lifetimeS: seconds });
    write({ id: made.id, secret: made.token, user, issued, scopes, end: issued + seconds });
  }

  const pick = <One>(from: readonly One[], index: number) => from[index % from.length] as One;
  const soon = (wanted: Wish): Wish =>
    wanted.end === undefined ? wanted : { ...wanted, end: opened.now() + wanted.end };

  async function take(item: Step): Promise<void> {
    const now = opened.now();
    switch (item.do) {
      case 'mint':
        return mint(pick(all, item.by), soon(item.wish));
      case 'make':
        return make(soon(item.wish));
      case 'login':
        return login(pick(users, item.user), item.scopes, item.for);
      case 'end': {
        const [by, key] = [pick(all, item.by), pick(keys(), item.key)];
        const answer = await opened.revoke(key.id, by.secret);
        expect(answer.status === 200).toBe(mayEnd(by, key, account, now));
        if (answer.status === 200) key.revoked = true;
        return;
      }
      case 'change': {
        const [by, key, wanted] = [pick(all, item.by), pick(keys(), item.key), soon(item.wish)];
        const answer = await opened.change(key.id, getBody(wanted), by.secret);
        expect(answer.status === 200).toBe(mayChange(by, key, wanted, account, now));
        if (answer.status === 200) Object.assign(key, { end: wanted.end ?? key.end, limit: wanted.limit ?? key.limit });
        return;
      }
      case 'revoke': {
        const key = pick(keys(), item.key);
        await operator.revokeKey(key.id);
        key.revoked = true;
        return;
      }
      case 'narrow': {
        const key = pick(keys(), item.key);
        const left = key.scopes.filter((scope) => item.scopes.includes(scope));
        await opened.db
          .updateTable('api_keys')
          .set({ scopes: JSON.stringify(left) })
          .where('id', '=', key.id)
          .execute();
        key.scopes = left;
        return opened.wait(2);
      }
      case 'revoke token': {
        const token = pick(
          all.filter(({ user }) => user !== null),
          item.key,
        );
        if (!token) return;
        await operator.revokeTokens(token.id);
        token.revoked = true;
        return;
      }
      case 'sign out': {
        const user = pick(users, item.user);
        await operator.revokeTokens(user.id);
        user.tokensFrom = now + 1;
        return;
      }
      case 'disable':
      case 'enable': {
        const user = pick(users, item.user);
        await operator.setUserStatus(user.id, item.do === 'disable' ? 'disabled' : 'active');
        user.disabled = item.do === 'disable';
        return;
      }
      case 'sign all out':
        await operator.revokeTokens(accountId);
        account.tokensFrom = now + 1;
        return;
      case 'suspend':
      case 'resume':
        await operator.setAccountStatus(accountId, item.do === 'suspend' ? 'suspended' : 'active');
        account.suspended = item.do === 'suspend';
        return;
      case 'wait':
        return opened.wait(item.seconds);
    }
  }

  /** Compares every credential and every listed key with the model. */
  async function compare(): Promise<void> {
    const shown = new Map((await operator.listKeys(accountId)).map((key) => [key.id, key]));
    for (const item of all) {
      const refusal = toRefusal(item, account, opened.now());
      const { scopes, end, limit } = worth(item);
      const answer = await opened.post('/v1/auth/verify', {}, as(item.secret));
      const { error, credential, account: seen } = await answer.json();
      expect(error?.code ?? null).toBe(refusal);
      const shownEnd = end === Infinity ? null : end;
      if (refusal === null) expect([credential.scopes, credential.expires_at]).toEqual([scopes, shownEnd]);
      if (refusal === null) expect(seen.status).toBe(account.suspended ? 'suspended' : 'active');
      if (item.user) continue;
      const key = shown.get(item.id);
      expect(key).toMatchObject({ scopes, expiresAt: shownEnd === null ? null : shownEnd * 1000 });
      expect(key?.spendLimit ?? null).toBe(limit === Infinity ? null : BigInt(limit));
      expect((key?.revokedAt ?? null) !== null).toBe(refusal === 'invalid_api_key');
    }
  }

  await make({ scopes: allScopes });
  return { take, compare };
}

test('in random trees of keys and tokens, each one may do what the model allows after any revocation above it', {
  timeout: long ? 3_600_000 : 180_000,
}, async () => {
  const opened = await open();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      const { take, compare } = await openWorld(opened);
      for (const item of steps) {
        await take(item);
        await compare();
      }
    }),
    { numRuns: programs },
  );
});
