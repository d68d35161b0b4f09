import { asObject, isObject, type JsonObject } from '../../json/foreign-json.ts';
import type { ReportedAccount, ReportedVerification } from '../reported.ts';
import { getUsd } from './amounts.ts';
import { inUnit, withMoneyUnit } from './money-units.ts';
import { creditFields, readBalance, readOtherBalance } from './read-credits.ts';
import { readCounters, readPeriod } from './read-usage.ts';
import { getCount, getFirst, getSeconds, getText, getTexts } from './values.ts';

/** An account about which the gateway reports nothing. */
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
 * Reads an account from `GET /account`, from the answer of `POST /auth/verify`, or from OpenRouter's record of a key
 * (`GET /key`: https://openrouter.ai/docs/api/api-reference/api-keys/get-current-key). Returns null if the answer
 * describes no account.
 */
export function readAccount(answer: unknown): ReportedAccount | null {
  const outer = creditFields(answer);
  const inner = getFirst(outer, ['account', 'user']);
  // Gateways put plan and balance next to the account or inside it.
  const fields = isObject(inner) ? { ...outer, ...inner } : outer;
  const balanceFields = getBalanceFields(fields);
  const otherBalance = readOtherBalance(balanceFields);
  const unit = otherBalance?.unit ?? null;
  const account: ReportedAccount = {
    object: 'account',
    id: getText(fields, ['id', 'account_id', 'user_id', 'uuid']),
    name: getText(fields, ['name', 'display_name', 'username', 'organization']),
    email: getText(fields, ['email']),
    created: getSeconds(fields, ['created', 'created_at', 'member_since']),
    status: getStatus(getText(fields, ['status', 'state'])),
    plan: getPlan(getFirst(fields, ['plan', 'subscription', 'tier']), fields, unit),
    balance: readBalance(balanceFields),
    otherBalance,
    usage: getUsage(fields, unit),
    credential: getCredential(outer, !isObject(inner)),
  };
  const { object: _, ...facts } = account;
  return Object.values(facts).every((fact) => fact === null) ? null : account;
}

/** The balance may be a nested object whose unit is in the surrounding object. */
function getBalanceFields(fields: JsonObject): JsonObject {
  const found = getFirst(fields, ['balance', 'credits', 'credit_balance']);
  return isObject(found) ? withMoneyUnit(found, fields) : fields;
}

const statuses = ['active', 'suspended', 'closed'] as const;
const getStatus = (reported: string | null) => statuses.find((known) => known === reported?.toLowerCase()) ?? null;

function getPlan(found: unknown, fields: JsonObject, unit: string | null): ReportedAccount['plan'] {
  if (typeof found === 'string') return { ...noPlan, id: found, name: found, renews_at: null };
  if (!isObject(found)) return null;
  const name = getText(found, ['name', 'title', 'label', 'id', 'type']);
  if (name === null) return null;
  const billing = getText(found, ['billing', 'billing_type']);
  return {
    ...noPlan,
    id: getText(found, ['id', 'slug']) ?? name,
    name,
    renews_at: getSeconds(found, ['renews_at', 'renewal_date', 'current_period_end', 'expires_at']),
    features: getTexts(found, ['features']) ?? [],
    limits: getLimits(asObject(getFirst(found, ['limits', 'quotas']) ?? getFirst(fields, ['limits'])), unit),
    billing: billing === 'prepaid' || billing === 'meter_only' ? billing : null,
  };
}

const noPlan = { features: [] as string[], limits: null, billing: null };

function getLimits(fields: JsonObject, unit: string | null): NonNullable<ReportedAccount['plan']>['limits'] {
  if (Object.keys(fields).length === 0) return null;
  return {
    requests_per_minute: getCount(fields, ['requests_per_minute', 'rpm', 'rate_limit']),
    tokens_per_minute: getCount(fields, ['tokens_per_minute', 'tpm']),
    concurrent_requests: getCount(fields, ['concurrent_requests', 'concurrency']),
    requests_per_day: getCount(fields, ['requests_per_day', 'rpd']),
    monthly_spend_usd: getUsd(inUnit(fields, unit), ['monthly_spend_usd', 'monthly_budget', 'monthly_limit']),
    max_output_tokens: getCount(fields, ['max_output_tokens', 'max_tokens']),
    models: getTexts(fields, ['models', 'allowed_models']) ?? [],
  };
}

function getUsage(fields: JsonObject, unit: string | null): ReportedAccount['usage'] {
  const found = inUnit(asObject(getFirst(fields, ['usage', 'usage_statistics', 'stats'])), unit);
  const { requests, total_tokens, cost_usd, unknown_cost_requests, unfinished_requests } = readCounters(found);
  if (requests === null && total_tokens === null && cost_usd === null) return null;
  return { period: readPeriod(found), requests, total_tokens, cost_usd, unknown_cost_requests, unfinished_requests };
}

/** With `itself`, the answer may describe the key directly instead of an account. */
function getCredential(outer: JsonObject, itself: boolean): ReportedAccount['credential'] {
  const found = getFirst(outer, ['credential', 'key', 'api_key', 'token']);
  const fields = isObject(found) ? found : itself ? outer : {};
  const label = getText(fields, ['label', ...(isObject(found) ? ['name'] : [])]);
  const scopes = getTexts(fields, ['scopes', 'scope', 'permissions']);
  if (label === null && scopes === null) return null;
  const type = getText(fields, ['type']) === 'jwt' ? 'jwt' : 'api_key';
  return {
    type,
    id: isObject(found) ? getText(fields, ['id']) : null,
    label,
    prefix: getText(fields, ['prefix']),
    scopes,
  };
}

/**
 * Reads a verification: `{ valid: true }` with whatever it reports about key and account. Returns null if it reports
 * nothing about the key.
 */
export function readVerification(answer: unknown): ReportedVerification | 'refused' | null {
  const fields = asObject(answer);
  const valid = getFirst(fields, ['valid', 'is_valid', 'verified', 'success', 'authenticated', 'data.valid']);
  if (valid === false) return 'refused';
  const account = readAccount(answer) ?? (valid === true ? unknownAccount : null);
  if (account === null) return null;
  const { credential, ...rest } = account;
  return { object: 'auth.verification', valid: true, credential, account: rest };
}
