import { z } from 'zod';
import { customToolCall, reasoningDetail, toolCall } from './chat-request.ts';
import { count, unixSeconds, usdAmount } from './scalars.ts';

export const finishReason = z.enum(['stop', 'length', 'tool_calls', 'content_filter']);

/** Reports a change to a request, or a fault in it, that didn't prevent the answer. */
export const warning = z.object({ code: z.string(), param: z.string().nullable(), message: z.string() });

/** How the model was chosen and which ones were tried (wire contract §5.6). */
export const routing = z.looseObject({
  policy: z.string(),
  reason: z.string(),
  selected: z.string(),
  upstream_model: z.string(),
  attempts: z.array(
    z.object({
      provider: z.string(),
      model: z.string(),
      status: z.enum(['ok', 'error']),
      code: z.string().nullable(),
      latency_ms: count,
    }),
  ),
  catalog_version: z.string(),
  complexity: z.object({ tier: z.enum(['simple', 'standard', 'complex']), score: count }).optional(),
  relaxed: z.boolean().optional(),
  candidates: z.array(z.looseObject({ id: z.string() })).optional(),
});

/** The token counts of the prompt form (`POST /chat`). */
export const promptTokens = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  cached_tokens: count,
  reasoning_tokens: count,
  /** The part of `completion_tokens` that is images. Absent if none. */
  image_tokens: count.optional(),
  /** Number of web searches. Absent if none. */
  web_searches: count.optional(),
});

/**
 * An image that the model made, in OpenRouter's format: a data URL or an address. `index` is its position among the
 * images.
 */
export const madeImage = z.looseObject({
  type: z.literal('image_url'),
  index: count.optional(),
  image_url: z.looseObject({ url: z.string() }),
});

const anyCall = z.discriminatedUnion('type', [toolCall, customToolCall]);

const promptAnswerFields = {
  id: z.string(),
  provider: z.string(),
  model: z.string(),
  tokens: promptTokens,
  finish_reason: finishReason,
  tool_calls: z.array(anyCall),
  /** Pages that the text cites, as in a chat completion. Absent if none. */
  annotations: z.array(z.looseObject({})).optional(),
  /** Images that the model made, as in a chat completion. Absent if none. */
  images: z.array(madeImage).optional(),
  cost_usd: usdAmount,
  byok: z.boolean(),
  routing,
  warnings: z.array(warning),
};

/** Answer of `POST /chat` (wire contract §1.2). */
export const promptResponse = z
  .looseObject({ object: z.literal('chat'), created: unixSeconds, text: z.string(), ...promptAnswerFields })
  .meta({ id: 'ChatResponse' });

/** One event of a streamed `POST /chat`. After the text events, exactly one has `done: true`. */
export const promptChunk = z.looseObject({ text: z.string(), done: z.literal(true).optional() });
export const promptDone = z.looseObject({ text: z.literal(''), done: z.literal(true), ...promptAnswerFields });

/** OpenAI's usage object plus what the request was charged (wire contract §1.3). */
export const completionUsage = z.looseObject({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  prompt_tokens_details: z.looseObject({ cached_tokens: count, cache_write_tokens: count, audio_tokens: count }),
  /** Counts uses of the provider's own tools. Absent if there were none. */
  server_tool_use: z.looseObject({ web_search_requests: count }).optional(),
  completion_tokens_details: z.looseObject({
    reasoning_tokens: count,
    audio_tokens: count,
    /** Tokens of the images that the model made. Absent if none. */
    image_tokens: count.optional(),
    accepted_prediction_tokens: count,
    rejected_prediction_tokens: count,
  }),
  cost_usd: usdAmount,
  /** Null if no price is known: the cost is then unknown, not zero. */
  upstream_cost_usd: usdAmount.nullable(),
  estimated: z.boolean(),
});

/** Answer of `POST /v1/chat/completions`. */
export const completionResponse = z
  .looseObject({
    id: z.string(),
    object: z.literal('chat.completion'),
    created: unixSeconds,
    model: z.string(),
    provider: z.string(),
    system_fingerprint: z.string().nullable(),
    /** The service tier that answered, if the provider reports it. */
    service_tier: z.string().optional(),
    choices: z.array(
      z.object({
        index: count,
        message: z.looseObject({
          role: z.literal('assistant'),
          content: z.string().nullable(),
          refusal: z.string().nullable(),
          /** Sources that the text cites. */
          annotations: z.array(z.looseObject({})).optional(),
          images: z.array(madeImage).optional(),
          reasoning_content: z.string().optional(),
          reasoning: z.string().optional(),
          reasoning_details: z.array(reasoningDetail).optional(),
          tool_calls: z.array(anyCall).optional(),
        }),
        logprobs: z.unknown().nullable(),
        finish_reason: finishReason,
      }),
    ),
    usage: completionUsage,
    byok: z.boolean(),
    routing,
    warnings: z.array(warning),
  })
  .meta({ id: 'ChatCompletion' });

const toolCallDelta = z.looseObject({
  index: count,
  id: z.string().optional(),
  type: z.enum(['function', 'custom']).optional(),
  function: z.looseObject({ name: z.string().optional(), arguments: z.string().optional() }).optional(),
  custom: z.looseObject({ name: z.string().optional(), input: z.string().optional() }).optional(),
});

/** What a cost is made of (wire contract §1.3): lines that add up to it, and the price that made them. */
export const costBreakdown = z.looseObject({
  /** Empty when no price is known, or nothing was charged. */
  cost_lines: z.array(z.object({ kind: z.string(), tokens: count.nullable(), usd: usdAmount })),
  /** The day and the source of the price; null when no price was used. */
  price_as_of: z.string().nullable(),
  price_source: z.string().nullable(),
  /** What the answer may have cost at most, when its cost is an estimate. */
  cost_up_to_usd: usdAmount.optional(),
});

/**
 * One chunk of a streamed completion. `usage` and `routing` are in the finish chunk unless the request asks otherwise
 * (§0.8).
 */
export const completionChunk = z
  .looseObject({
    id: z.string(),
    object: z.literal('chat.completion.chunk'),
    created: unixSeconds,
    model: z.string(),
    provider: z.string().optional(),
    choices: z.array(
      z.looseObject({
        index: count,
        delta: z.looseObject({
          role: z.literal('assistant').optional(),
          content: z.string().nullish(),
          reasoning_content: z.string().nullish(),
          reasoning: z.string().nullish(),
          reasoning_details: z.array(reasoningDetail).nullish(),
          refusal: z.string().nullish(),
          annotations: z.array(z.looseObject({})).optional(),
          images: z.array(madeImage).optional(),
          tool_calls: z.array(toolCallDelta).optional(),
        }),
        finish_reason: finishReason.nullable(),
      }),
    ),
    system_fingerprint: z.string().optional(),
    service_tier: z.string().optional(),
    usage: completionUsage.nullish(),
    routing: routing.optional(),
    warnings: z.array(warning).optional(),
    byok: z.boolean().optional(),
    portico: costBreakdown.optional(),
  })
  .meta({ id: 'ChatCompletionChunk' });

export type FinishReason = z.infer<typeof finishReason>;
export type Warning = z.infer<typeof warning>;
export type CostBreakdown = z.infer<typeof costBreakdown>;
export type Routing = z.infer<typeof routing>;
export type PromptResponse = z.infer<typeof promptResponse>;
export type CompletionUsage = z.infer<typeof completionUsage>;
export type CompletionResponse = z.infer<typeof completionResponse>;
export type CompletionChunk = z.infer<typeof completionChunk>;
