import { z } from 'zod';
import { period } from './account.ts';
import { count, unixSeconds, usdAmount } from './scalars.ts';

export const usageGroup = z.enum([
  'day',
  'model',
  'provider',
  'key',
  'status',
  'purpose',
  'conversation',
  /** The reason why requests failed or were cancelled. */
  'error',
  /** Where each cost comes from. */
  'provenance',
]);

const counters = {
  requests: count,
  succeeded: count,
  failed: count,
  cancelled: count,
  prompt_tokens: count,
  cached_tokens: count,
  completion_tokens: count,
  reasoning_tokens: count,
  total_tokens: count,
  cost_usd: usdAmount,
  /** Requests with an unknown cost, which `cost_usd` leaves out. Gateways of earlier versions don't report it. */
  unknown_cost_requests: count.optional(),
  /** Requests that were charged nothing although the provider may have worked on them. */
  unfinished_requests: count.optional(),
  byok_requests: count,
  byok_upstream_cost_usd: usdAmount,
};

/** Fields that don't belong to the requested grouping are null. */
export const usageBucket = z
  .looseObject({
    object: z.literal('usage.bucket'),
    provider: z.string().nullable(),
    model: z.string().nullable(),
    /** `YYYY-MM-DD` in the requested time zone. */
    day: z.string().nullable(),
    key: z.string().nullable(),
    status: z.string().nullable(),
    /** What the caller set in `metadata` (§10), or the code of a failure. Null if the caller set nothing. */
    purpose: z.string().nullable().optional(),
    conversation_id: z.string().nullable().optional(),
    error_code: z.string().nullable().optional(),
    /**
     * Where the cost comes from. `billed`: it was charged. `estimated`: it was charged by tokens that weren't counted
     * to the end. `byok`: the provider charges it to the caller's own key. `uncharged`: nothing was charged.
     * `unfinished`: nothing was charged, but the provider may bill whoever pays it for its work. `unknown`: nobody
     * knows.
     */
    provenance: z.string().nullable().optional(),
    ...counters,
  })
  .meta({ id: 'UsageBucket' });

/** A quota of the plan in the current period. The end of its name is its unit. */
export const usedLimit = z.looseObject({
  name: z.string(),
  limit: z.string(),
  used: z.string(),
  remaining: z.string(),
  resets_at: unixSeconds.nullable(),
});

/** `GET /v1/usage` (wire contract §2.3). Without a filter, the buckets add up to the totals. */
export const usage = z
  .looseObject({
    object: z.literal('usage'),
    period,
    totals: z.looseObject({
      ...counters,
      /** The full input price of the cached input minus what it did cost. Sent with `savings=true`. */
      cache_savings_usd: usdAmount.optional(),
    }),
    group_by: usageGroup,
    /** With `day`, each group is split by day. */
    interval: z.literal('day').nullable().optional(),
    /** The time zone of the days, as an IANA name. */
    time_zone: z.string().optional(),
    data: z.array(usageBucket),
    has_more: z.boolean(),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    limits: z.array(usedLimit),
  })
  .meta({ id: 'Usage' });

export type UsageGroup = z.infer<typeof usageGroup>;
export type UsageBucket = z.infer<typeof usageBucket>;
export type Usage = z.infer<typeof usage>;
export type UsedLimit = z.infer<typeof usedLimit>;
