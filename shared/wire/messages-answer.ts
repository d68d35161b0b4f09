import { z } from 'zod';
import { routing, warning } from './chat-response.ts';
import { count, usdAmount } from './scalars.ts';

/** Answers of `POST /v1/messages`: Anthropic's fields, and those that every answer of the gateway has. */

const usage = z.looseObject({
  input_tokens: count,
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
  output_tokens: count,
  cost_usd: usdAmount.optional(),
  /** Null if no price is known. */
  upstream_cost_usd: usdAmount.nullable().optional(),
  estimated: z.boolean().optional(),
});

/** `type` is `text`, `thinking`, `redacted_thinking` or `tool_use`. */
const contentBlock = z.looseObject({ type: z.string() });

export const messagesAnswer = z
  .looseObject({
    id: z.string(),
    type: z.literal('message'),
    role: z.literal('assistant'),
    model: z.string(),
    provider: z.string(),
    content: z.array(contentBlock),
    stop_reason: z.string().nullable(),
    stop_sequence: z.string().nullable(),
    usage,
    byok: z.boolean().optional(),
    routing: routing.optional(),
    warnings: z.array(warning).optional(),
  })
  .meta({ id: 'Message' });

/** One event of a streamed message. */
export const messagesEvent = z
  .looseObject({ type: z.string(), message: messagesAnswer.optional(), index: count.optional() })
  .meta({ id: 'MessageEvent' });

/** Answer of `POST /v1/messages/count_tokens`. */
export const tokenCount = z.object({ input_tokens: count }).meta({ id: 'TokenCount' });

/** The error envelope of these endpoints: Anthropic's form plus the fields that every error has here. */
export const messagesError = z
  .object({
    type: z.literal('error'),
    error: z.looseObject({ type: z.string(), message: z.string(), code: z.string() }),
    request_id: z.string().nullable(),
  })
  .meta({ id: 'MessagesError' });

export type MessagesAnswer = z.infer<typeof messagesAnswer>;
export type MessagesError = z.infer<typeof messagesError>;
