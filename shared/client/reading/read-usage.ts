import { asObject, isObject, type JsonObject } from '../../json/foreign-json.ts';
import type { UsageGroup } from '../../wire/usage.ts';
import type { ReportedBucket, ReportedCounters, ReportedUsage } from '../reported.ts';
import { getUsd } from './amounts.ts';
import { findAmount, withMoneyUnit } from './money-units.ts';
import { getCount, getFirst, getObjects, getSeconds, getText } from './values.ts';

const costNames = ['cost_usd', 'cost', 'total_cost', 'total_cost_usd', 'spend', 'spend_usd', 'amount_usd'];

/** Reads counts and costs under their known names. */
export function readCounters(fields: JsonObject): ReportedCounters {
  const prompt = getCount(fields, ['prompt_tokens', 'input_tokens', 'tokens.prompt_tokens', 'tokens.input']);
  const completion = getCount(fields, [
    'completion_tokens',
    'output_tokens',
    'tokens.completion_tokens',
    'tokens.output',
  ]);
  const total = getCount(fields, ['total_tokens', 'tokens', 'tokens.total_tokens', 'tokens.total', 'token_count']);
  return {
    requests: getCount(fields, ['requests', 'request_count', 'total_requests', 'num_requests', 'calls', 'count']),
    succeeded: getCount(fields, ['succeeded', 'successful_requests', 'successes']),
    failed: getCount(fields, ['failed', 'failed_requests', 'errors']),
    cancelled: getCount(fields, ['cancelled', 'canceled']),
    prompt_tokens: prompt,
    cached_tokens: getCount(fields, ['cached_tokens', 'cache_read_tokens', 'prompt_tokens_details.cached_tokens']),
    completion_tokens: completion,
    reasoning_tokens: getCount(fields, ['reasoning_tokens', 'completion_tokens_details.reasoning_tokens']),
    total_tokens: total ?? (prompt !== null && completion !== null ? prompt + completion : null),
    cost_usd: getUsd(fields, costNames),
    unknown_cost_requests: getCount(fields, ['unknown_cost_requests']),
    unfinished_requests: getCount(fields, ['unfinished_requests']),
    byok_requests: getCount(fields, ['byok_requests']),
    byok_upstream_cost_usd: getUsd(fields, ['byok_upstream_cost_usd']),
  };
}

/**
 * An end date that is a day is inclusive, so the day after is returned. The first of a month already is the exclusive
 * end of the month before.
 */
function getEnd(fields: JsonObject, names: readonly string[]): number | null {
  const seconds = getSeconds(fields, names);
  const day = /^\d{4}-\d\d-(\d\d)$/.exec(getText(fields, names) ?? '');
  return seconds !== null && day && day[1] !== '01' ? seconds + 86_400 : seconds;
}

/** Reads the period of the usage, if both its beginning and its end are reported. */
export function readPeriod(fields: JsonObject): ReportedUsage['period'] {
  const period = asObject(getFirst(fields, ['period', 'billing_period', 'current_period']));
  const source = Object.keys(period).length > 0 ? period : fields;
  const start = getSeconds(source, ['start', 'from', 'period_start', 'start_date', 'start_time', 'begin']);
  const end = getEnd(source, ['end', 'to', 'period_end', 'end_date', 'end_time', 'until']);
  return start === null || end === null ? null : { type: 'custom', start, end };
}

const groupNames: Readonly<
  Record<UsageGroup, { readonly lists: readonly string[]; readonly field: readonly string[] }>
> = {
  day: { lists: ['by_day', 'daily', 'days'], field: ['day', 'date'] },
  model: { lists: ['by_model', 'models'], field: ['model', 'model_id', 'name'] },
  provider: { lists: ['by_provider', 'providers'], field: ['provider', 'name'] },
  key: { lists: ['by_key', 'keys'], field: ['key', 'key_id', 'api_key_id'] },
  status: { lists: ['by_status', 'statuses'], field: ['status'] },
  purpose: { lists: ['by_purpose', 'purposes'], field: ['purpose'] },
  conversation: { lists: ['by_conversation', 'conversations'], field: ['conversation_id'] },
  provenance: { lists: ['by_provenance'], field: ['provenance'] },
  error: { lists: ['by_error', 'errors_by_code'], field: ['error_code', 'code'] },
};

const sumsIn = (fields: JsonObject): JsonObject =>
  withMoneyUnit(asObject(getFirst(fields, ['totals', 'total', 'usage', 'summary']) ?? fields), fields);

/** Whether the usage has a cost in another unit than USD. */
export function hasOtherCost(answer: unknown): boolean {
  const outer = asObject(answer);
  const fields = isObject(outer.data) ? withMoneyUnit(outer.data, outer) : outer;
  return findAmount(sumsIn(fields), costNames)?.unit.kind === 'other';
}

/** Reads usage, grouped as asked if the gateway groups it. Returns null if neither totals nor groups are reported. */
export function readUsage(answer: unknown, groupBy: UsageGroup): ReportedUsage | null {
  const outer = asObject(answer);
  const fields = isObject(outer.data) ? withMoneyUnit(outer.data, outer) : outer;
  const sums = sumsIn(fields);
  const totals = readCounters(sums);
  const data = getBuckets(fields, groupBy);
  if (data === null && [totals.requests, totals.total_tokens, totals.cost_usd].every((value) => value === null))
    return null;
  return {
    object: 'usage',
    period: readPeriod(fields),
    totals,
    group_by: groupBy,
    ...(data === null ? { data: [], grouped: false } : { data }),
    has_more: false,
    first_id: null,
    last_id: null,
    limits: [],
  };
}

/** Returns null if there are no groups of this kind. Groups with another field as their key are of another kind. */
function getBuckets(fields: JsonObject, groupBy: UsageGroup): ReportedBucket[] | null {
  const { lists, field } = groupNames[groupBy];
  const named = getObjects(fields, lists);
  const found = named ?? getObjects(fields, ['data', 'breakdown', 'items', 'results']);
  const keyed = found?.map((entry) => ({ entry, key: getText(entry, field) })) ?? [];
  if (found === null || keyed.some(({ key }) => key === null)) return null;
  return keyed.map(({ entry, key }) => {
    const model = groupBy === 'model' ? key : null;
    const own = getText(entry, ['provider']);
    return {
      object: 'usage.bucket',
      provider: groupBy === 'provider' ? key : (own ?? (model && (/^([\w.-]+)\//.exec(model)?.[1] ?? null))),
      model:
        model === null
          ? null
          : own && model.startsWith(`${own}/`)
            ? model.slice(own.length + 1)
            : model.replace(/^[\w.-]+\//, ''),
      day: groupBy === 'day' ? (key?.slice(0, 10) ?? null) : null,
      key: groupBy === 'key' ? key : null,
      status: groupBy === 'status' ? key : null,
      purpose: groupBy === 'purpose' ? key : null,
      conversation_id: groupBy === 'conversation' ? key : null,
      error_code: groupBy === 'error' ? key : null,
      provenance: groupBy === 'provenance' ? key : null,
      ...readCounters(withMoneyUnit(entry, fields)),
    };
  });
}
