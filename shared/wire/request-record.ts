import { z } from 'zod';
import { routing } from './chat-response.ts';
import { count, listOf, unixSeconds, usdAmount } from './scalars.ts';

export const requestStatus = z.enum(['running', 'succeeded', 'failed', 'cancelled']);

/** The record of a request (wire contract §10), without any content. */
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
    /** Audio input, which is part of the prompt. Absent if the provider doesn't count it. */
    audio_tokens: count.optional(),
    /** The part of `cache_write_tokens` that is cached for an hour. */
    cache_write_1h_tokens: count.optional(),
    /** The part of `completion_tokens` that is images. */
    image_tokens: count.optional(),
    /** Web searches with the provider's own tool. */
    web_searches: count.optional(),
    cost_usd: usdAmount,
    /** Null if no price is known: the cost is then unknown, not zero. */
    upstream_cost_usd: usdAmount.nullable(),
    estimated: z.boolean(),
    /**
     * Set if the client disconnected before the provider reported its token count: the most that the provider may bill.
     */
    cost_up_to_usd: usdAmount.optional(),
    byok: z.boolean(),
    /** With the caller's own key: `cost_usd` as a fraction of `price` × tokens, in basis points. */
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

/** Error codes after which the provider may have worked on an answer although nothing of it arrived. */
export const lostAnswerCodes = [
  ...(['upstream_timeout', 'upstream_truncated', 'upstream_bad_response', 'client_closed_request'] as const),
  ...(['shutting_down', 'internal_error', 'interrupted'] as const),
];
