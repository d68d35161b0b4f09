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
  /** Of failed and cancelled requests, why. */
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
  /** Requests of which nobody knows the cost: `cost_usd` has nothing for them. An earlier gateway does not tell. */
  unknown_cost_requests: count.optional(),
  /** Requests that nothing was charged for, though the provider may have worked on them. */
  unfinished_requests: count.optional(),
  byok_requests: count,
  byok_upstream_cost_usd: usdAmount,
};

/** The fields that do not belong to the grouping asked for are null. */
export const usageBucket = z
  .looseObject({
    object: z.literal('usage.bucket'),
    provider: z.string().nullable(),
    model: z.string().nullable(),
    /** `YYYY-MM-DD` of the time zone that was asked for. */
    day: z.string().nullable(),
    key: z.string().nullable(),
    status: z.string().nullable(),
    /** What the caller named in `metadata` (§10), and the code of a failure; null: it named none. */
    purpose: z.string().nullable().optional(),
    conversation_id: z.string().nullable().optional(),
    error_code: z.string().nullable().optional(),
    /**
     * Where the cost comes from: `billed`, what was charged; `estimated`, by tokens that were not counted to the end; `byok`, what
     * the provider takes of the caller's own key; `uncharged`; `unfinished`, nothing was charged, and whoever pays the provider may
     * be asked for what it did; `unknown`.
     */
    provenance: z.string().nullable().optional(),
    ...counters,
  })
  .meta({ id: 'UsageBucket' });

/** A quota of the plan in the running period, in the unit that its name ends with. */
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
      /** What cached input would have cost at the full price of input, less what it did cost; told with `savings=true`. */
      cache_savings_usd: usdAmount.optional(),
    }),
    group_by: usageGroup,
    /** `day`: each group is told for each of its days. */
    interval: z.literal('day').nullable().optional(),
    /** Whose days they are; an IANA name. */
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
