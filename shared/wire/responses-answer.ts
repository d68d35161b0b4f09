import { z } from 'zod';
import { routing, warning } from './chat-response.ts';
import { count, unixSeconds, usdAmount } from './scalars.ts';

/** Answers of `POST /v1/responses`: OpenAI's fields, and those that every answer of the gateway has. */

const usage = z.looseObject({
  input_tokens: count,
  input_tokens_details: z.looseObject({ cached_tokens: count, cache_write_tokens: count }),
  output_tokens: count,
  output_tokens_details: z.looseObject({ reasoning_tokens: count }),
  total_tokens: count,
  cost_usd: usdAmount,
  /** Null if no price is known. */
  upstream_cost_usd: usdAmount.nullable(),
  estimated: z.boolean(),
});

/** `type` is `message`, `function_call` or `reasoning`. */
const outputItem = z.looseObject({ type: z.string(), id: z.string() });

export const responsesAnswer = z
  .looseObject({
    id: z.string(),
    object: z.literal('response'),
    created_at: unixSeconds,
    status: z.string(),
    model: z.string(),
    provider: z.string().nullable(),
    error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
    incomplete_details: z.object({ reason: z.string() }).nullable(),
    output: z.array(outputItem),
    usage: usage.nullable(),
    byok: z.boolean().optional(),
    routing: routing.optional(),
    warnings: z.array(warning).optional(),
  })
  .meta({ id: 'Response' });

/** One event of a streamed response. */
export const responsesEvent = z
  .looseObject({ type: z.string(), sequence_number: count, response: responsesAnswer.optional() })
  .meta({ id: 'ResponseEvent' });

export type ResponsesAnswer = z.infer<typeof responsesAnswer>;
