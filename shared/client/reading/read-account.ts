import { asObject, isObject, type JsonObject } from '#shared/json/foreign-json.ts';
import type { ToldAccount, ToldVerification } from '../told.ts';
import { readBalance } from './read-credits.ts';
import { readCounters, readPeriod } from './read-usage.ts';
import { countOf, firstOf, secondsOf, textOf, textsOf, usdOf } from './values.ts';

/** An account of which nothing is told. */
export const unknownAccount: ToldAccount = {
  ...{ object: 'account', id: null, name: null, email: null, created: null, status: null },
  ...{ plan: null, balance: null, usage: null, credential: null },
};

/**
 * An account: of `GET /account`, within the answer of `POST /auth/verify`, or OpenRouter’s record of a key
 * (`GET /key`: https://openrouter.ai/docs/api/api-reference/api-keys/get-current-key). Null: it tells nothing of one.
 */
export function readAccount(answer: unknown): ToldAccount | null {
  const outer = asObject(isObject(asObject(answer).data) ? asObject(answer).data : answer);
  const inner = firstOf(outer, ['account', 'user']);
  // Plan and balance may stand beside the account or in it.
  const told = isObject(inner) ? { ...outer, ...inner } : outer;
  const account: ToldAccount = {
    object: 'account',
    id: textOf(told, ['id', 'account_id', 'user_id', 'uuid']),
    name: textOf(told, ['name', 'display_name', 'username', 'organization']),
    email: textOf(told, ['email']),
    created: secondsOf(told, ['created', 'created_at', 'member_since']),
    status: statusOf(textOf(told, ['status', 'state'])),
    plan: planOf(firstOf(told, ['plan', 'subscription', 'tier']), told),
    balance: readBalance(firstOf(told, ['balance', 'credits', 'credit_balance']) ?? told),
    usage: usageOf(told),
    credential: credentialOf(outer, !isObject(inner)),
  };
  const { object: _, ...facts } = account;
  return Object.values(facts).every((fact) => fact === null) ? null : account;
}

const statuses = ['active', 'suspended', 'closed'] as const;
const statusOf = (said: string | null) => statuses.find((one) => one === said?.toLowerCase()) ?? null;

function planOf(found: unknown, told: JsonObject): ToldAccount['plan'] {
  if (typeof found === 'string') return { ...noPlan, id: found, name: found, renews_at: null };
  if (!isObject(found)) return null;
  const name = textOf(found, ['name', 'title', 'label', 'id', 'type']);
  if (name === null) return null;
  const billing = textOf(found, ['billing', 'billing_type']);
  return {
    ...noPlan,
    id: textOf(found, ['id', 'slug']) ?? name,
    name,
    renews_at: secondsOf(found, ['renews_at', 'renewal_date', 'current_period_end', 'expires_at']),
    features: textsOf(found, ['features']) ?? [],
    limits: limitsOf(asObject(firstOf(found, ['limits', 'quotas']) ?? firstOf(told, ['limits']))),
    billing: billing === 'prepaid' || billing === 'meter_only' ? billing : null,
  };
}

const noPlan = { features: [] as string[], limits: null, billing: null };

function limitsOf(told: JsonObject): NonNullable<ToldAccount['plan']>['limits'] {
  if (Object.keys(told).length === 0) return null;
  return {
    requests_per_minute: countOf(told, ['requests_per_minute', 'rpm', 'rate_limit']),
    tokens_per_minute: countOf(told, ['tokens_per_minute', 'tpm']),
    concurrent_requests: countOf(told, ['concurrent_requests', 'concurrency']),
    requests_per_day: countOf(told, ['requests_per_day', 'rpd']),
    monthly_spend_usd: usdOf(told, ['monthly_spend_usd', 'monthly_budget', 'monthly_limit']),
    max_output_tokens: countOf(told, ['max_output_tokens', 'max_tokens']),
    models: textsOf(told, ['models', 'allowed_models']) ?? [],
  };
}

function usageOf(told: JsonObject): ToldAccount['usage'] {
  const found = asObject(firstOf(told, ['usage', 'usage_statistics', 'stats']));
  const { requests, total_tokens, cost_usd } = readCounters(found);
  if (requests === null && total_tokens === null && cost_usd === null) return null;
  return { period: readPeriod(found), requests, total_tokens, cost_usd };
}

/** `itself`: the answer may be about the key, and not about an account. */
function credentialOf(outer: JsonObject, itself: boolean): ToldAccount['credential'] {
  const found = firstOf(outer, ['credential', 'key', 'api_key', 'token']);
  const told = isObject(found) ? found : itself ? outer : {};
  const label = textOf(told, ['label', ...(isObject(found) ? ['name'] : [])]);
  const scopes = textsOf(told, ['scopes', 'scope', 'permissions']);
  if (label === null && scopes === null) return null;
  const type = textOf(told, ['type']) === 'jwt' ? 'jwt' : 'api_key';
  return { type, id: isObject(found) ? textOf(told, ['id']) : null, label, prefix: textOf(told, ['prefix']), scopes };
}

/** A verification: `{ valid: true }`, with whatever is told of key and account. Null: it says nothing of the key. */
export function readVerification(answer: unknown): ToldVerification | 'refused' | null {
  const told = asObject(answer);
  const valid = firstOf(told, ['valid', 'is_valid', 'verified', 'success', 'authenticated', 'data.valid']);
  if (valid === false) return 'refused';
  const account = readAccount(answer) ?? (valid === true ? unknownAccount : null);
  if (account === null) return null;
  const { credential, ...rest } = account;
  return { object: 'auth.verification', valid: true, credential, account: rest };
}
