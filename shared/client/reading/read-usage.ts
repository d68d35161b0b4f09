import { asObject, isObject, type JsonObject } from '#shared/json/foreign-json.ts';
import type { UsageGroup } from '../../wire/usage.ts';
import type { ToldBucket, ToldUsage } from '../told.ts';
import { countOf, firstOf, objectsOf, secondsOf, textOf, usdOf } from './values.ts';

type Counters = Pick<
  ToldBucket,
  | 'requests'
  | 'succeeded'
  | 'failed'
  | 'cancelled'
  | 'prompt_tokens'
  | 'cached_tokens'
  | 'completion_tokens'
  | 'reasoning_tokens'
  | 'total_tokens'
  | 'cost_usd'
  | 'byok_requests'
  | 'byok_upstream_cost_usd'
>;

/** Counts and costs under their known names. */
export function readCounters(told: JsonObject): Counters {
  const prompt = countOf(told, ['prompt_tokens', 'input_tokens', 'tokens.prompt_tokens', 'tokens.input']);
  const completion = countOf(told, ['completion_tokens', 'output_tokens', 'tokens.completion_tokens', 'tokens.output']);
  const total = countOf(told, ['total_tokens', 'tokens', 'tokens.total_tokens', 'tokens.total', 'token_count']);
  return {
    requests: countOf(told, ['requests', 'request_count', 'total_requests', 'num_requests', 'calls', 'count']),
    succeeded: countOf(told, ['succeeded', 'successful_requests', 'successes']),
    failed: countOf(told, ['failed', 'failed_requests', 'errors']),
    cancelled: countOf(told, ['cancelled', 'canceled']),
    prompt_tokens: prompt,
    cached_tokens: countOf(told, ['cached_tokens', 'cache_read_tokens', 'prompt_tokens_details.cached_tokens']),
    completion_tokens: completion,
    reasoning_tokens: countOf(told, ['reasoning_tokens', 'completion_tokens_details.reasoning_tokens']),
    total_tokens: total ?? (prompt !== null && completion !== null ? prompt + completion : null),
    cost_usd: usdOf(told, ['cost_usd', 'cost', 'total_cost', 'total_cost_usd', 'spend', 'spend_usd', 'amount_usd']),
    byok_requests: countOf(told, ['byok_requests']),
    byok_upstream_cost_usd: usdOf(told, ['byok_upstream_cost_usd']),
  };
}

/** A period of which begin and end are told. */
export function readPeriod(told: JsonObject): ToldUsage['period'] {
  const period = asObject(firstOf(told, ['period', 'billing_period', 'current_period']));
  const source = Object.keys(period).length > 0 ? period : told;
  const start = secondsOf(source, ['start', 'from', 'period_start', 'start_date', 'start_time', 'begin']);
  const end = secondsOf(source, ['end', 'to', 'period_end', 'end_date', 'end_time', 'until']);
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
};

/** Usage, grouped as asked where the gateway does that. Null: neither sums nor groups are told. */
export function readUsage(answer: unknown, groupBy: UsageGroup): ToldUsage | null {
  const outer = asObject(answer);
  const told = isObject(outer.data) ? outer.data : outer;
  const sums = asObject(firstOf(told, ['totals', 'total', 'usage', 'summary']) ?? told);
  const totals = readCounters(sums);
  const data = bucketsOf(told, groupBy);
  if (data === null && [totals.requests, totals.total_tokens, totals.cost_usd].every((value) => value === null))
    return null;
  return {
    object: 'usage',
    period: readPeriod(told),
    totals,
    group_by: groupBy,
    ...(data === null ? { data: [], grouped: false } : { data }),
    ...{ has_more: false, first_id: null, last_id: null, limits: [] },
  };
}

/** Null: there are none of this grouping; buckets that another field tells apart are of another one. */
function bucketsOf(told: JsonObject, groupBy: UsageGroup): ToldBucket[] | null {
  const { lists, field } = groupNames[groupBy];
  const named = objectsOf(told, lists);
  const found = named ?? objectsOf(told, ['data', 'breakdown', 'items', 'results']);
  const keyed = found?.map((entry) => ({ entry, key: textOf(entry, field) })) ?? [];
  if (found === null || keyed.some(({ key }) => key === null)) return null;
  return keyed.map(({ entry, key }) => {
    const model = groupBy === 'model' ? key : null;
    const own = textOf(entry, ['provider']);
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
      ...readCounters(entry),
    };
  });
}
