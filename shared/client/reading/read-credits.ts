import { asArray, asObject, isObject, type JsonObject } from '../../json/foreign-json.ts';
import { formatUsd, nanoUsd, parseUsd } from '../../money.ts';
import type { OtherAmount, ReportedBalance, ReportedCredits, ReportedTransaction } from '../reported.ts';
import { getOtherAmount, getUsd } from './amounts.ts';
import { withMoneyUnit } from './money-units.ts';
import { getFirst, getObjects, getSeconds, getText } from './values.ts';

const amountNames = ['balance', 'amount', 'credits', 'available', 'remaining', 'credit_balance'];
/** What a single key may still spend, regardless of its account's balance. */
const keyNames = ['limit_remaining'];
const grantedNames = ['total_granted', 'total_credits', 'granted', 'total_purchased'];
const usedNames = ['total_used', 'total_usage', 'used', 'total_spent', 'usage_usd'];

/**
 * Reads a balance in any known form. OpenRouter reports credits and usage instead; their difference is the balance.
 * Returns null if there is none.
 */
export function readBalance(value: unknown): ReportedBalance | null {
  const inside = balanceFields(value);
  const [granted, used] = [getUsd(inside, grantedNames), getUsd(inside, usedNames)];
  const ofAccount = getUsd(inside, amountNames);
  const amount =
    ofAccount ?? getUsd(inside, keyNames) ?? (granted !== null && used !== null ? difference(granted, used) : null);
  if (amount === null) return null;
  return {
    currency: 'USD',
    amount,
    held: getUsd(inside, ['held', 'reserved', 'pending']),
    available: getUsd(inside, ['available']),
    total_granted: granted,
    total_used: used,
    ...(ofAccount === null && getUsd(inside, keyNames) !== null ? { of: 'key' as const } : {}),
  };
}

/**
 * Reads the balance of a gateway that counts in another unit than USD. Returns null if it counts in USD or reports no
 * balance.
 */
export function readOtherBalance(value: unknown): OtherAmount | null {
  const inside = balanceFields(value);
  const amount = getOtherAmount(inside, [...amountNames, ...keyNames]);
  if (amount) return amount;
  const [granted, used] = [getOtherAmount(inside, grantedNames), getOtherAmount(inside, usedNames)];
  return granted && used?.unit === granted.unit
    ? { amount: difference(granted.amount, used.amount), unit: granted.unit }
    : null;
}

/** An amount under these names counts as dollars only if the gateway names that unit. */
const ownCredits = ['credits', 'credit_balance'];

function balanceFields(value: unknown): JsonObject {
  const fields = isObject(value) ? value : { balance: value };
  const around = isObject(fields.balance) ? withMoneyUnit(fields.balance, fields) : fields;
  // A unit next to a balance, such as tokens, is the unit of that balance.
  const inside = typeof around.unit === 'string' && !around.currency ? { ...around, currency: around.unit } : around;
  const first = amountNames.find((name) => inside[name] != null);
  if (first === undefined || !ownCredits.includes(first) || isObject(inside[first])) return inside;
  return withMoneyUnit(inside, { unit: 'credits' });
}

const difference = (from: string, less: string): string => formatUsd(nanoUsd(parseUsd(from) - parseUsd(less)));

/** Returns the fields of an answer about credits, with the unit of the surrounding object. */
export function creditFields(answer: unknown): JsonObject {
  const outer = asObject(answer);
  return isObject(outer.data) ? withMoneyUnit(outer.data, outer) : outer;
}

/** Reads the balance and its history. Returns null if not even a balance is reported. */
export function readCredits(answer: unknown): ReportedCredits | null {
  const fields = creditFields(answer);
  const balance = readBalance(fields);
  if (balance === null) return null;
  const { amount, ...sums } = balance;
  return { object: 'credits', ...sums, balance: amount, transactions: toTransactions(fields) };
}

const lists = ['transactions', 'history', 'transaction_history', 'entries', 'items'];

function toTransactions(fields: JsonObject): ReportedCredits['transactions'] {
  const found = getFirst(fields, lists);
  const inner = isObject(found) ? found : {};
  const entries = Array.isArray(found) ? asArray(found).filter(isObject) : getObjects(inner, ['data', ...lists]);
  if (entries === null)
    return { object: 'list', data: [], first_id: null, last_id: null, has_more: false, reported: false };
  // We list the newest first; a list in the opposite order is reversed.
  const lines = entries
    .map((entry, index) => toTransaction(withMoneyUnit(entry, fields), index))
    .filter((line) => line !== null);
  const [first, last] = [lines.at(0)?.created ?? 0, lines.at(-1)?.created ?? 0];
  const data = first < last ? lines.toReversed() : lines;
  const [first_id, last_id] = [data.at(0)?.id ?? null, data.at(-1)?.id ?? null];
  // No cursor is known to work here, so there is only one page.
  return { object: 'list', data, first_id, last_id, has_more: false };
}

/** Returns null for an entry without an amount. */
function toTransaction(entry: JsonObject, index: number): ReportedTransaction | null {
  const reported = getText(entry, ['type', 'kind', 'transaction_type']);
  const amount = getUsd(entry, ['amount', 'amount_usd', 'value', 'delta', 'cost', 'cost_usd', 'credits']);
  if (amount === null) return null;
  const type = reported === null ? null : (types[reported.toLowerCase()] ?? null);
  const description = getText(entry, ['description', 'note', 'memo', 'reason']);
  const created = getSeconds(entry, ['created', 'created_at', 'timestamp', 'date', 'time']);
  return {
    id: getText(entry, ['id', 'transaction_id', 'uuid']) ?? `${created ?? ''}#${index}`,
    object: 'credit_transaction',
    type,
    // Some gateways write deductions without a minus sign.
    amount: type === 'usage' && !amount.startsWith('-') && amount !== '0' ? `-${amount}` : amount,
    balance_after: getUsd(entry, ['balance_after', 'balance', 'running_balance']),
    currency: 'USD',
    created,
    description: type === null && reported !== null && description === null ? reported : description,
    request_id: getText(entry, ['request_id', 'generation_id', 'reference']),
    provider: getText(entry, ['provider']),
    model: getText(entry, ['model', 'model_id']),
    estimated: entry.estimated === true,
  };
}

const types: Readonly<Record<string, ReportedTransaction['type']>> = {
  grant: 'grant',
  bonus: 'grant',
  gift: 'grant',
  promo: 'grant',
  free: 'grant',
  purchase: 'purchase',
  topup: 'purchase',
  top_up: 'purchase',
  'top-up': 'purchase',
  deposit: 'purchase',
  payment: 'purchase',
  credit: 'purchase',
  usage: 'usage',
  debit: 'usage',
  charge: 'usage',
  spend: 'usage',
  deduction: 'usage',
  consumption: 'usage',
  refund: 'refund',
  reversal: 'refund',
  adjustment: 'adjustment',
  correction: 'adjustment',
  expiry: 'expiry',
  expiration: 'expiry',
  byok_fee: 'byok_fee',
};
