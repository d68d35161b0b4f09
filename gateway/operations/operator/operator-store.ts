import { sql } from 'kysely';
import { AppError } from '#shared/errors.ts';
import { formatUsd, maxNano, type NanoUsd, nanoUsd } from '#shared/money.ts';
import { createIdentity } from '../../access/auth/identity.ts';
import { replaceKeySecret, requireKeySecret } from '../../access/auth/key-secret.ts';
import { type KeyStanding, keyStandings } from '../../access/auth/key-standing.ts';
import type { Peppers } from '../../access/auth/pepper.ts';
import { defaultPlan } from '../../access/auth/plans.ts';
import { clientScopes } from '../../access/auth/scopes.ts';
import { defaultTokenNames, type TokenNames } from '../../access/auth/token-names.ts';
import { newKey } from '../../access/keys/new-key.ts';
import { checkLedger } from '../../ledger/check-ledger.ts';
import { total } from '../../ledger/rules/rule.ts';
import {
  type ModelLimit,
  modelLimitsText,
  readModelLimits,
  usedThisMonth,
  usedToday,
} from '../../ledger/spending-limits.ts';
import { newId } from '../../storage/id.ts';
import { dialectOfDb, type GatewayDb, type GatewayTransaction } from '../../storage/open-database.ts';
import type { AccountRow } from '../../storage/schema.ts';
import type { Transact } from '../../storage/transact.ts';
import type { LivePlans } from '../configuration/live-plans.ts';
import { createPlanOperator } from '../configuration/plan-operator.ts';
import { createProviderOperator } from '../configuration/provider-operator.ts';
import { createPriceOperator } from '../prices/price-operator.ts';
import type { AccountSummary, Administrator, KeySummary } from './operator.ts';

interface Grant {
  readonly accountId: string;
  readonly amount: NanoUsd;
  readonly description?: string;
  /** Makes the grant idempotent: it happens once, however often it's called. */
  readonly id?: string;
}

/** The largest single grant: a billion dollars. More is probably a typing error. */
const maxGrant = 1_000_000_000_000_000_000n;

/** Adds credits to an account: balance and ledger entry in one transaction. */
export async function grantCredits(trx: GatewayTransaction, grant: Grant, now: number): Promise<{ id: string }> {
  if (grant.amount <= 0n || grant.amount > maxGrant) {
    throw new AppError('invalid_input', 'A grant must be more than $0 and at most $1,000,000,000.');
  }
  const repeated = grant.id === undefined ? undefined : await findGrant(trx, grant.id);
  if (repeated) return getRepeat(repeated, grant);
  const account = await trx
    .updateTable('accounts')
    .set((row) => ({ balance: row('balance', '+', grant.amount), granted: row('granted', '+', grant.amount) }))
    .where('id', '=', grant.accountId)
    .where('granted', '<=', maxNano - grant.amount)
    .returning('balance')
    .executeTakeFirst();
  if (!account) throw await notGranted(trx, grant);
  const id = newId('txn', now);
  await trx
    .insertInto('ledger_entries')
    .values({
      id,
      account_id: grant.accountId,
      type: 'grant',
      amount: grant.amount,
      balance_after: account.balance,
      created: BigInt(now),
      description: grant.description ?? null,
      estimated: 0n,
      idempotency_id: grant.id ?? null,
    })
    .execute();
  return { id };
}

async function notGranted(trx: GatewayTransaction, { accountId }: Grant): Promise<AppError> {
  const account = await trx.selectFrom('accounts').select('id').where('id', '=', accountId).executeTakeFirst();
  if (!account) return new AppError('not_found', `There is no account "${accountId}".`);
  return new AppError('invalid_input', `All grants of an account together are at most $${formatUsd(maxNano)}.`);
}

const findGrant = (trx: GatewayTransaction, idempotencyId: string) =>
  trx
    .selectFrom('ledger_entries')
    .select(['id', 'account_id', 'amount'])
    .where('idempotency_id', '=', idempotencyId)
    .executeTakeFirst();

function getRepeat(existing: { id: string; account_id: string; amount: bigint }, grant: Grant): { id: string } {
  if (existing.account_id !== grant.accountId || existing.amount !== grant.amount) {
    throw new AppError('invalid_input', `The grant "${grant.id}" was already booked with another account or amount.`);
  }
  return { id: existing.id };
}

export interface OperatorDeps {
  readonly db: GatewayDb;
  readonly transact: Transact;
  readonly peppers: Peppers;
  readonly now: () => number;
  /** Called after a change that a cached credential must not outlive. */
  readonly credentialsChanged: () => void;
  readonly tokenNames?: TokenNames;
  /** Called after prices were added. */
  readonly pricesChanged?: () => Promise<void>;
  /** The plans of the gateway in this process, if there is one. */
  readonly plans?: LivePlans;
}

/** Creates the operator's commands. They throw `invalid_input` and `not_found` with a message that can be shown. */
export function createOperator(deps: OperatorDeps): Administrator {
  const { db, now } = deps;
  const planOperator = createPlanOperator({ db, now, plans: deps.plans ?? null });

  async function requirePlan(id: string): Promise<void> {
    const known = (await planOperator.plans()).map((plan) => plan.id);
    if (known.includes(id)) return;
    throw new AppError('invalid_input', `There is no plan "${id}". Plans: ${known.join(', ')}.`);
  }

  return {
    ...planOperator,
    ...createProviderOperator({ db, now }),
    ...createIdentity({ ...deps, names: deps.tokenNames ?? defaultTokenNames }),
    ...createPriceOperator({ db, now, pricesChanged: deps.pricesChanged ?? (async () => {}) }),

    async createAccount({ name, plan = defaultPlan, email }) {
      const row = newAccount(name, plan, email, now());
      await requirePlan(plan);
      await db.insertInto('accounts').values(row).execute();
      return toAccountSummary(row);
    },

    async listAccounts() {
      const rows = await db.selectFrom('accounts').selectAll().orderBy('id').execute();
      return rows.map(toAccountSummary);
    },

    checkLedger: () => checkLedger({ db, dialect: dialectOfDb(db) }, now),

    grant: (grant) => deps.transact((trx) => grantCredits(trx, grant, now())),

    async setAccountStatus(accountId, status) {
      await requireAccount(db, accountId);
      await db.updateTable('accounts').set({ status }).where('id', '=', accountId).execute();
      deps.credentialsChanged();
    },

    async setAccountPlan(accountId, plan) {
      await requireAccount(db, accountId);
      await requirePlan(plan);
      await db.updateTable('accounts').set({ plan }).where('id', '=', accountId).execute();
      deps.credentialsChanged();
    },

    async limitAccount(accountId, { day, month, models = {}, exceptKey }) {
      await requireAccount(db, accountId);
      if ([day, month, ...Object.values(models)].some((limit) => typeof limit === 'bigint' && limit < 0n)) {
        throw new AppError('invalid_input', 'The limit of an account cannot be negative.');
      }
      const limits = {
        ...(day === undefined ? {} : { day_limit: day }),
        ...(month === undefined ? {} : { month_limit: month }),
        ...(exceptKey === undefined ? {} : { unlimited_key: exceptKey }),
      };
      if (Object.keys(limits).length > 0) {
        await db.updateTable('accounts').set(limits).where('id', '=', accountId).execute();
      }
      if (Object.keys(models).length > 0) await deps.transact((trx) => limitModels(trx, accountId, models));
    },

    async accountLimits(accountId) {
      const row = await db.selectFrom('accounts').selectAll().where('id', '=', accountId).executeTakeFirst();
      if (!row) throw noAccount(accountId);
      const part = (limit: bigint | null, used: bigint) => ({
        limit: limit === null ? null : nanoUsd(limit),
        used: nanoUsd(used),
      });
      return {
        models: [...readModelLimits(row.model_limits)].map(([model, { limit, used }]) => ({
          model,
          limit: nanoUsd(limit),
          used: nanoUsd(usedThisMonth({ month: row.month, month_used: used }, now())),
        })),
        day: part(row.day_limit, usedToday(row, now())),
        month: part(row.month_limit, usedThisMonth(row, now())),
        exceptKey: row.unlimited_key,
      };
    },

    async createKey({ accountId, label, scopes = clientScopes, spendLimit, expiresAt }) {
      await requireAccount(db, accountId);
      if (spendLimit !== undefined && spendLimit < 0n) {
        throw new AppError('invalid_input', 'The limit of a key cannot be negative.');
      }
      if (expiresAt !== undefined && expiresAt <= now()) {
        throw new AppError('invalid_input', 'The key would have expired already.');
      }
      await requireKeySecret(deps);
      const { row, key } = newKey({ accountId, label: label ?? null, scopes, now: now() }, deps.peppers);
      await db
        .insertInto('api_keys')
        .values({
          ...row,
          spend_limit: spendLimit ?? null,
          expires_at: expiresAt === undefined ? null : BigInt(expiresAt),
        })
        .execute();
      return { id: row.id, key };
    },

    replaceKeySecret: () => replaceKeySecret(deps),

    async listKeys(accountId) {
      await requireAccount(db, accountId);
      const keys = await keyStandings(db, sql`account_id = ${accountId}`, now());
      return [...keys.values()].map((key) => toKeySummary(key, now()));
    },

    async revokeKey(keyId) {
      const key = await db.selectFrom('api_keys').select('id').where('id', '=', keyId).executeTakeFirst();
      if (!key) throw new AppError('not_found', `There is no API key "${keyId}".`);
      await db
        .updateTable('api_keys')
        .set({ revoked_at: BigInt(now()) })
        .where('id', '=', keyId)
        .where('revoked_at', 'is', null)
        .execute();
      deps.credentialsChanged();
    },
  };
}

function newAccount(name: string, plan: string, email: string | undefined, now: number) {
  if (name.trim() === '' || name.length > 200) {
    throw new AppError('invalid_input', 'An account needs a name of 1 to 200 characters.');
  }
  return {
    id: newId('acct', now),
    name: name.trim(),
    email: email ?? null,
    plan,
    status: 'active' as const,
    balance: 0n,
    held: 0n,
    granted: 0n,
    used: 0n,
    created: BigInt(now),
    tokens_valid_after: 0n,
  };
}

async function requireAccount(db: GatewayDb, id: string): Promise<void> {
  const row = await db.selectFrom('accounts').select('id').where('id', '=', id).executeTakeFirst();
  if (!row) throw noAccount(id);
}

const noAccount = (id: string) => new AppError('not_found', `There is no account "${id}".`);

type SummaryColumns = 'id' | 'name' | 'plan' | 'status' | 'balance' | 'held';

const toAccountSummary = (row: Pick<AccountRow, SummaryColumns>): AccountSummary => ({
  id: row.id,
  name: row.name,
  plan: row.plan,
  status: row.status,
  balance: nanoUsd(row.balance),
  held: nanoUsd(row.held),
});

/** Shows a key within the bounds of its ancestors. If it ended because of them at an unknown time, it's shown as revoked now. */
const toKeySummary = ({ row, ...key }: KeyStanding, now: number): KeySummary => ({
  id: row.id,
  accountId: row.account_id,
  label: row.label,
  prefix: row.prefix,
  scopes: key.scopes,
  created: Number(row.created),
  expiresAt: key.expiresAt === null ? null : Number(key.expiresAt),
  revokedAt: key.isRevoked ? Number(key.revokedAt ?? now) : null,
  spendLimit: key.spendLimit === null ? null : nanoUsd(key.spendLimit),
  spent: nanoUsd(row.spent),
  mintedBy: row.parent_id ?? row.token_user,
});

/**
 * Sets limits for single models of an account (null removes one), with what each was charged in the account's month and what is
 * held now. It runs in one transaction, so every request is counted exactly once.
 */
export async function limitModels(
  db: GatewayDb,
  accountId: string,
  models: Readonly<Record<string, bigint | null>>,
): Promise<void> {
  const account = db.selectFrom('accounts').select(['month', 'model_limits']).where('id', '=', accountId);
  const isPostgres = dialectOfDb(db) === 'postgres';
  const { month, model_limits } = await (isPostgres ? account.forUpdate() : account).executeTakeFirstOrThrow();
  const limits = readModelLimits(model_limits);
  for (const [id, limit] of Object.entries(models)) {
    if (limit === null) limits.delete(id);
    else limits.set(id, { limit, ...(await spentOn(db, { accountId, month, id })) });
  }
  await db
    .updateTable('accounts')
    .set({ model_limits: modelLimitsText(limits) })
    .where('id', '=', accountId)
    .execute();
}

async function spentOn(
  db: GatewayDb,
  { accountId, month, id }: { readonly accountId: string; readonly month: string; readonly id: string },
): Promise<Pick<ModelLimit, 'used' | 'held'>> {
  const isModel = sql`account_id = ${accountId} and provider || '/' || model = ${id}`;
  const { rows } = await sql<Pick<ModelLimit, 'used' | 'held'>>`select
    (select ${total(sql`charge`)} from usage_daily where ${isModel} and substr(day, 1, 7) >= ${month}) as used,
    (select ${total(sql`hold`)} from requests where ${isModel} and status = 'running') as held`.execute(db);
  return { used: rows[0]?.used ?? 0n, held: rows[0]?.held ?? 0n };
}
