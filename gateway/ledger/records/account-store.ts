import { formatUsd, nanoUsd } from '#shared/money.ts';
import type { Account, Balance, Verification } from '#shared/wire/account.ts';
import { getLimits } from '../../access/auth/plans.ts';
import type { Plan, Principal } from '../../access/auth/principal.ts';
import type { GatewayDb } from '../../storage/open-database.ts';
import type { AccountRow } from '../../storage/schema.ts';
import { currentMonth, type Period } from '../period.ts';
import { readUsage } from './usage-store.ts';

/** Returns an account as the wire shows it (wire contract §2.2). */
export async function readAccount(db: GatewayDb, principal: Principal, now: number): Promise<Account> {
  const row = await accountRow(db, principal.accountId);
  const period = currentMonth(now);
  const grouping = { group: 'status', byDay: false, zone: 'UTC' } as const;
  const { totals: used } = await readUsage(db, { accountId: row.id, ...period }, grouping);
  return {
    ...identity(row, principal.plan, period),
    email: row.email,
    balance: getBalance(row),
    usage: {
      period: { type: 'month', start: period.startMs / 1000, end: period.endMs / 1000 },
      requests: used.requests,
      prompt_tokens: used.prompt_tokens,
      completion_tokens: used.completion_tokens,
      total_tokens: used.total_tokens,
      cost_usd: used.cost_usd,
      unknown_cost_requests: used.unknown_cost_requests,
      unfinished_requests: used.unfinished_requests,
    },
    credential: shownCredential(principal),
  };
}

/** Returns the answer of `POST /v1/auth/verify` (§2.5). Without the scope `account` it has no balance, usage or email address. */
export async function readVerification(db: GatewayDb, principal: Principal, now: number): Promise<Verification> {
  const { created, expiresAt, lastUsedAt, scopes } = principal.credential;
  const credential = { ...shownCredential(principal), created, expires_at: expiresAt, last_used_at: lastUsedAt };
  if (scopes.includes('account')) {
    const { credential: _shown, ...account } = await readAccount(db, principal, now);
    return { object: 'auth.verification', valid: true, credential, account };
  }
  const row = await accountRow(db, principal.accountId);
  const account = { ...identity(row, principal.plan, currentMonth(now)), email: null, balance: null, usage: null };
  return { object: 'auth.verification', valid: true, credential, account };
}

/** Returns the balance, the holds and the totals (§2.2, §2.4). */
export function getBalance(row: AccountRow): Balance {
  return {
    currency: 'USD',
    amount: formatUsd(nanoUsd(row.balance)),
    held: formatUsd(nanoUsd(row.held)),
    available: formatUsd(nanoUsd(row.balance - row.held)),
    total_granted: formatUsd(nanoUsd(row.granted)),
    total_used: formatUsd(nanoUsd(row.used)),
  };
}

export const accountRow = (db: GatewayDb, id: string): Promise<AccountRow> =>
  db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

const identity = (row: AccountRow, plan: Plan, period: Period) => ({
  object: 'account' as const,
  id: row.id,
  name: row.name,
  created: Number(row.created / 1000n),
  status: row.status,
  plan: {
    id: plan.id,
    name: plan.name,
    // Limits count by calendar month. Only a plan with a monthly limit has something that renews.
    renews_at: plan.monthlySpend === null ? null : period.endMs / 1000,
    features: [...plan.features],
    limits: getLimits(plan),
    billing: plan.billing,
  },
});

const shownCredential = ({ credential }: Principal) => ({
  type: credential.type,
  id: credential.id,
  label: credential.label,
  prefix: credential.prefix,
  scopes: [...credential.scopes],
});
