import { asObject, isObject, type JsonObject } from '../../json/foreign-json.ts';
import type { ReportedAccount, ReportedVerification } from '../reported.ts';
import { usdOf } from './amounts.ts';
import { withMoneyUnit } from './money-units.ts';
import { creditFields, readBalance, readOtherBalance } from './read-credits.ts';
import { readCounters, readPeriod } from './read-usage.ts';
import { countOf, firstOf, secondsOf, textOf, textsOf } from './values.ts';

/** An account of which nothing is reported. */
export const unknownAccount: ReportedAccount = {
  object: 'account',
  id: null,
  name: null,
  email: null,
  created: null,
  status: null,
  plan: null,
  balance: null,
  otherBalance: null,
  usage: null,
  credential: null,
};

/**
 * An account: of `GET /account`, within the answer of `POST /auth/verify`, or OpenRouter’s record of a key
 * (`GET /key`: https://openrouter.ai/docs/api/api-reference/api-keys/get-current-key). Null: it tells nothing of one.
 */
export function readAccount(answer: unknown): ReportedAccount | null {
  const outer = creditFields(answer);
  const inner = firstOf(outer, ['account', 'user']);
  // Plan and balance may stand beside the account or in it.
  const fields = isObject(inner) ? { ...outer, ...inner } : outer;
  const account: ReportedAccount = {
    object: 'account',
    id: textOf(fields, ['id', 'account_id', 'user_id', 'uuid']),
    name: textOf(fields, ['name', 'display_name', 'username', 'organization']),
    email: textOf(fields, ['email']),
    created: secondsOf(fields, ['created', 'created_at', 'member_since']),
    status: statusOf(textOf(fields, ['status', 'state'])),
    plan: planOf(firstOf(fields, ['plan', 'subscription', 'tier']), fields),
    balance: readBalance(getBalanceFields(fields)),
    otherBalance: readOtherBalance(getBalanceFields(fields)),
    usage: usageOf(fields),
    credential: credentialOf(outer, !isObject(inner)),
  };
  const { object: _, ...facts } = account;
  return Object.values(facts).every((fact) => fact === null) ? null : account;
}

/** A balance may be an object of its own, whose unit may stand around it. */
function getBalanceFields(fields: JsonObject): JsonObject {
  const found = firstOf(fields, ['balance', 'credits', 'credit_balance']);
  return isObject(found) ? withMoneyUnit(found, fields) : fields;
}

const statuses = ['active', 'suspended', 'closed'] as const;
const statusOf = (said: string | null) => statuses.find((one) => one === said?.toLowerCase()) ?? null;

function planOf(found: unknown, fields: JsonObject): ReportedAccount['plan'] {
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
    limits: limitsOf(asObject(firstOf(found, ['limits', 'quotas']) ?? firstOf(fields, ['limits']))),
    billing: billing === 'prepaid' || billing === 'meter_only' ? billing : null,
  };
}

const noPlan = { features: [] as string[], limits: null, billing: null };

function limitsOf(fields: JsonObject): NonNullable<ReportedAccount['plan']>['limits'] {
  if (Object.keys(fields).length === 0) return null;
  return {
    requests_per_minute: countOf(fields, ['requests_per_minute', 'rpm', 'rate_limit']),
    tokens_per_minute: countOf(fields, ['tokens_per_minute', 'tpm']),
    concurrent_requests: countOf(fields, ['concurrent_requests', 'concurrency']),
    requests_per_day: countOf(fields, ['requests_per_day', 'rpd']),
    monthly_spend_usd: usdOf(fields, ['monthly_spend_usd', 'monthly_budget', 'monthly_limit']),
    max_output_tokens: countOf(fields, ['max_output_tokens', 'max_tokens']),
    models: textsOf(fields, ['models', 'allowed_models']) ?? [],
  };
}

function usageOf(fields: JsonObject): ReportedAccount['usage'] {
  const found = asObject(firstOf(fields, ['usage', 'usage_statistics', 'stats']));
  const { requests, total_tokens, cost_usd, unknown_cost_requests, unfinished_requests } = readCounters(found);
  if (requests === null && total_tokens === null && cost_usd === null) return null;
  return { period: readPeriod(found), requests, total_tokens, cost_usd, unknown_cost_requests, unfinished_requests };
}

/** `itself`: the answer may be about the key, and not about an account. */
function credentialOf(outer: JsonObject, itself: boolean): ReportedAccount['credential'] {
  const found = firstOf(outer, ['credential', 'key', 'api_key', 'token']);
  const fields = isObject(found) ? found : itself ? outer : {};
  const label = textOf(fields, ['label', ...(isObject(found) ? ['name'] : [])]);
  const scopes = textsOf(fields, ['scopes', 'scope', 'permissions']);
  if (label === null && scopes === null) return null;
  const type = textOf(fields, ['type']) === 'jwt' ? 'jwt' : 'api_key';
  return {
    type,
    id: isObject(found) ? textOf(fields, ['id']) : null,
    label,
    prefix: textOf(fields, ['prefix']),
    scopes,
  };
}

/** A verification: `{ valid: true }`, with whatever is reported of key and account. Null: it says nothing of the key. */
export function readVerification(answer: unknown): ReportedVerification | 'refused' | null {
  const fields = asObject(answer);
  const valid = firstOf(fields, ['valid', 'is_valid', 'verified', 'success', 'authenticated', 'data.valid']);
  if (valid === false) return 'refused';
  const account = readAccount(answer) ?? (valid === true ? unknownAccount : null);
  if (account === null) return null;
  const { credential, ...rest } = account;
  return { object: 'auth.verification', valid: true, credential, account: rest };
}
