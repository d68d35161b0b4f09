import { z } from 'zod';
import { customToolCall, reasoningDetail, toolCall } from './chat-request.ts';
import { count, unixSeconds, usdAmount } from './scalars.ts';

export const finishReason = z.enum(['stop', 'length', 'tool_calls', 'content_filter']);

/** A change or a fault of a request that was answered all the same. */
export const warning = z.object({ code: z.string(), param: z.string().nullable(), message: z.string() });

/** How the model was chosen and what was tried (wire contract §5.6). */
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

/** The prompt form's token counts. */
export const promptTokens = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  cached_tokens: count,
  reasoning_tokens: count,
  /** The part of `completion_tokens` that is images; absent: none. */
  image_tokens: count.optional(),
  /** Searches of the web; absent: none. */
  web_searches: count.optional(),
});

/** An image that the model made, in OpenRouter's words: its data as a URL, or its address. `index`: its place among them. */
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
  /** Pages that the text refers to, as in a chat completion; absent: none. */
  annotations: z.array(z.looseObject({})).optional(),
  /** Images that the model made, as in a chat completion; absent: none. */
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

/** One event of a streamed `POST /chat`: text, then exactly one with `done: true`. */
export const promptChunk = z.looseObject({ text: z.string(), done: z.literal(true).optional() });
export const promptDone = z.looseObject({ text: z.literal(''), done: z.literal(true), ...promptAnswerFields });

/** OpenAI's usage object with what the request was charged (wire contract §1.3). */
export const completionUsage = z.looseObject({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  prompt_tokens_details: z.looseObject({ cached_tokens: count, cache_write_tokens: count, audio_tokens: count }),
  /** What the provider's own tools did; absent where none did anything. */
  server_tool_use: z.looseObject({ web_search_requests: count }).optional(),
  completion_tokens_details: z.looseObject({
    reasoning_tokens: count,
    audio_tokens: count,
    /** Images that the model made; absent: none. */
    image_tokens: count.optional(),
    accepted_prediction_tokens: count,
    rejected_prediction_tokens: count,
  }),
  cost_usd: usdAmount,
  upstream_cost_usd: usdAmount,
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
    /** Where the provider says which of its tiers answered. */
    service_tier: z.string().optional(),
    choices: z.array(
      z.object({
        index: count,
        message: z.looseObject({
          role: z.literal('assistant'),
          content: z.string().nullable(),
          refusal: z.string().nullable(),
          /** Sources that the text refers to. */
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

/** One chunk of a streamed completion. `usage` and `routing` are in the finish chunk unless asked otherwise (§0.8). */
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
  })
  .meta({ id: 'ChatCompletionChunk' });

export type FinishReason = z.infer<typeof finishReason>;
export type Warning = z.infer<typeof warning>;
export type Routing = z.infer<typeof routing>;
export type PromptResponse = z.infer<typeof promptResponse>;
export type CompletionUsage = z.infer<typeof completionUsage>;
export type CompletionResponse = z.infer<typeof completionResponse>;
export type CompletionChunk = z.infer<typeof completionChunk>;
