import { z } from 'zod';
import { routing } from './chat-response.ts';
import { count, listOf, unixSeconds, usdAmount } from './scalars.ts';

export const requestStatus = z.enum(['running', 'succeeded', 'failed', 'cancelled']);

/** One request as the gateway keeps it (wire contract §10). Never any content. */
export const requestRecord = z
  .looseObject({
    id: z.string(),
    object: z.literal('request'),
    created: unixSeconds,
    provider: z.string().nullable(),
    model: z.string().nullable(),
    status: requestStatus,
    error_code: z.string().nullable(),
    purpose: z.string().nullable(),
    conversation_id: z.string().nullable(),
    prompt_tokens: count,
    completion_tokens: count,
    total_tokens: count,
    cached_tokens: count,
    cache_write_tokens: count,
    reasoning_tokens: count,
    /** Of the prompt, spoken input where the provider counts it apart. */
    audio_tokens: count.optional(),
    /** Of `cache_write_tokens`, those that are to stay for an hour. */
    cache_write_1h_tokens: count.optional(),
    cost_usd: usdAmount,
    upstream_cost_usd: usdAmount,
    estimated: z.boolean(),
    byok: z.boolean(),
    /** Where it ran on the caller's own key: which part of `price` × tokens `cost_usd` is, in basis points. */
    byok_fee_bps: count.optional(),
    latency_ms: z.object({ first_token: count.nullable(), total: count.nullable() }),
    key_id: z.string().nullable(),
    /** The caller's `user`, as it was sent. */
    user: z.string().nullable().optional(),
    price: z.record(z.string(), z.unknown()).nullable(),
    routing: routing.nullable(),
    metadata: z.record(z.string(), z.string()),
  })
  .meta({ id: 'Request' });

export const requestList = listOf(requestRecord).meta({ id: 'RequestList' });

export type RequestStatus = z.infer<typeof requestStatus>;
export type RequestRecord = z.infer<typeof requestRecord>;
