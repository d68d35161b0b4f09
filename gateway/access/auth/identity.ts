import { SignJWT } from 'jose';
import { AppError } from '#shared/errors.ts';
import type { Scope } from '#shared/wire/account.ts';
import { newId } from '../../storage/id.ts';
import type { UserRow } from '../../storage/schema.ts';
import { rotateKeys, type SigningKeysDeps, signingKey, type TokenKeySummary } from './signing-keys.ts';
import { clockSkewS, maxLifetimeS } from './token-claims.ts';
import type { TokenNames } from './token-names.ts';

export interface UserSummary {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly email: string | null;
  readonly status: 'active' | 'disabled';
  readonly created: number;
}

export interface IssuedToken {
  readonly token: string;
  /** The token's own id, by which it can be revoked. */
  readonly id: string;
  /** Unix seconds. */
  readonly expiresAt: number;
}

/** Users and their tokens: the part of wire contract §4.6 that only the operator has. */
export interface IdentityOperator {
  createUser(user: { accountId: string; name: string; email?: string }): Promise<UserSummary>;
  listUsers(accountId: string): Promise<UserSummary[]>;
  /**
   * A disabled user's tokens stop working, and so do the keys made with them. Enabling the user restores those that haven't
   * expired.
   */
  setUserStatus(userId: string, status: UserSummary['status']): Promise<void>;
  issueToken(token: { userId: string; scopes: readonly Scope[]; lifetimeS: number }): Promise<IssuedToken>;
  /**
   * Revokes one token (`tok_…`), or all current tokens of a user (`usr_…`) or an account (`acct_…`), with the keys made with
   * them.
   */
  revokeTokens(id: string): Promise<void>;
  /** Makes the standby key sign: after it was published for 15 minutes or, for a leaked key, at once. */
  rotateTokenKeys(options?: { atOnce?: boolean }): Promise<TokenKeySummary[]>;
}

export interface IdentityDeps extends SigningKeysDeps {
  readonly names: TokenNames;
  readonly credentialsChanged: () => void;
}

/** Creates the operator's commands for users and tokens. They throw `invalid_input` and `not_found`. */
export function createIdentity(deps: IdentityDeps): IdentityOperator {
  const { db, now } = deps;
  return {
    async createUser({ accountId, name, email }) {
      await requireRow(deps, 'accounts', accountId, 'account');
      if (name.trim() === '' || name.length > 200) {
        throw new AppError('invalid_input', 'A user needs a name of 1 to 200 characters.');
      }
      const row: UserRow = {
        id: newId('usr', now()),
        account_id: accountId,
        name: name.trim(),
        email: email ?? null,
        status: 'active',
        tokens_valid_after: 0n,
        created: BigInt(now()),
      };
      await db.insertInto('users').values(row).execute();
      return toSummary(row);
    },

    async listUsers(accountId) {
      await requireRow(deps, 'accounts', accountId, 'account');
      const rows = await db.selectFrom('users').selectAll().where('account_id', '=', accountId).orderBy('id').execute();
      return rows.map(toSummary);
    },

    async setUserStatus(userId, status) {
      await requireRow(deps, 'users', userId, 'user');
      await db.updateTable('users').set({ status }).where('id', '=', userId).execute();
      deps.credentialsChanged();
    },

    issueToken: (wanted) => issueToken(deps, wanted),

    async revokeTokens(id) {
      if (id.startsWith('tok_')) await revokeOne(deps, id);
      else if (id.startsWith('usr_')) await revokeAll(deps, 'users', id, 'user');
      else if (id.startsWith('acct_')) await revokeAll(deps, 'accounts', id, 'account');
      else throw new AppError('invalid_input', `"${id}" is not the id of a token, a user or an account.`);
      deps.credentialsChanged();
    },

    async rotateTokenKeys({ atOnce = false } = {}) {
      const keys = await rotateKeys(deps, atOnce);
      deps.credentialsChanged();
      return keys;
    },
  };
}

async function issueToken(
  deps: IdentityDeps,
  { userId, scopes, lifetimeS }: { userId: string; scopes: readonly Scope[]; lifetimeS: number },
): Promise<IssuedToken> {
  if (!Number.isInteger(lifetimeS) || lifetimeS < 1 || lifetimeS > maxLifetimeS) {
    throw new AppError('invalid_input', 'A token lives at least one second and at most 24 hours.');
  }
  const user = await deps.db
    .selectFrom('users')
    .innerJoin('accounts', 'accounts.id', 'users.account_id')
    .select(['users.status', 'users.tokens_valid_after', 'accounts.tokens_valid_after as account_valid_after'])
    .where('users.id', '=', userId)
    .executeTakeFirst();
  if (!user) throw new AppError('not_found', `There is no user "${userId}".`);
  if (user.status !== 'active') throw new AppError('invalid_input', `The user "${userId}" is disabled.`);
  const { kid, key } = await signingKey(deps);
  const now = Math.floor(deps.now() / 1000);
  // After a revocation in this second, the token is dated one second ahead. Verifiers tolerate that difference between clocks.
  const iat = Math.max(now, Number(user.tokens_valid_after), Number(user.account_valid_after));
  const id = newId('tok', deps.now());
  const token = await new SignJWT({ scope: [...new Set(scopes)] })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid })
    .setSubject(userId)
    .setIssuer(deps.names.issuer)
    .setAudience(deps.names.audience)
    .setIssuedAt(iat)
    .setExpirationTime(iat + lifetimeS)
    .setJti(id)
    .sign(key);
  return { token, id, expiresAt: iat + lifetimeS };
}

/** Records the revocation until the token has expired anyway, and deletes records that are older. */
async function revokeOne({ db, now }: IdentityDeps, jti: string): Promise<void> {
  const forgetAfter = BigInt(now() + (maxLifetimeS + 2 * clockSkewS) * 1000);
  await db.deleteFrom('revoked_tokens').where('forget_after', '<', BigInt(now())).execute();
  await db
    .insertInto('revoked_tokens')
    .values({ jti, revoked: BigInt(now()), forget_after: forgetAfter })
    .onConflict((conflict) => conflict.column('jti').doNothing())
    .execute();
}

async function revokeAll(deps: IdentityDeps, table: 'users' | 'accounts', id: string, what: string): Promise<void> {
  await requireRow(deps, table, id, what);
  const validAfter = BigInt(Math.floor(deps.now() / 1000) + 1);
  await deps.db.updateTable(table).set({ tokens_valid_after: validAfter }).where('id', '=', id).execute();
}

async function requireRow({ db }: IdentityDeps, table: 'users' | 'accounts', id: string, what: string): Promise<void> {
  const row = await db.selectFrom(table).select('id').where('id', '=', id).executeTakeFirst();
  if (!row) throw new AppError('not_found', `There is no ${what} "${id}".`);
}

const toSummary = (row: UserRow): UserSummary => ({
  id: row.id,
  accountId: row.account_id,
  name: row.name,
  email: row.email,
  status: row.status,
  created: Number(row.created),
});
