import { z } from 'zod';
import { period } from './account.ts';
import { count, unixSeconds, usdAmount } from './scalars.ts';

export const usageGroup = z.enum(['day', 'model', 'provider', 'key', 'status']);

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
  byok_requests: count,
  byok_upstream_cost_usd: usdAmount,
};

/** The fields that do not belong to the grouping asked for are null. */
export const usageBucket = z
  .looseObject({
    object: z.literal('usage.bucket'),
    provider: z.string().nullable(),
    model: z.string().nullable(),
    /** `YYYY-MM-DD`, UTC. */
    day: z.string().nullable(),
    key: z.string().nullable(),
    status: z.string().nullable(),
    ...counters,
  })
  .meta({ id: 'UsageBucket' });

/** `GET /v1/usage` (wire contract §2.3). Without a filter, the buckets add up to the totals. */
export const usage = z
  .looseObject({
    object: z.literal('usage'),
    period,
    totals: z.looseObject(counters),
    group_by: usageGroup,
    data: z.array(usageBucket),
    has_more: z.boolean(),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    limits: z.array(
      z.looseObject({
        name: z.string(),
        limit: z.string(),
        used: z.string(),
        remaining: z.string(),
        resets_at: unixSeconds.nullable(),
      }),
    ),
  })
  .meta({ id: 'Usage' });

export type UsageGroup = z.infer<typeof usageGroup>;
export type UsageBucket = z.infer<typeof usageBucket>;
export type Usage = z.infer<typeof usage>;
