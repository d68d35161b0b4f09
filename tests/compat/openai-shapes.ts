import { z } from 'zod';

/**
 * OpenAI's published shapes of answers (https://developers.openai.com/api/reference/resources/chat, and the types of
 * `openai` 7.55, read 2026-11-22): which fields exist, and which of them may be null. OpenAI omits `system_fingerprint`
 * when it has none. Here it's then an empty text, because wire contract §1.3 requires it in every answer.
 */

const count = z.int().min(0);
const call = z.looseObject({
  id: z.string(),
  type: z.literal('function'),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
});
const finish = z.enum(['stop', 'length', 'tool_calls', 'content_filter', 'function_call']);
const logprobs = z.looseObject({ content: z.array(z.unknown()).nullable() }).nullable();
const tier = z.string().nullish();

const usage = z.looseObject({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  prompt_tokens_details: z.looseObject({ cached_tokens: count, audio_tokens: count }),
  completion_tokens_details: z.looseObject({
    reasoning_tokens: count,
    audio_tokens: count,
    accepted_prediction_tokens: count,
    rejected_prediction_tokens: count,
  }),
});

export const openAiCompletion = z.looseObject({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: count,
  model: z.string(),
  system_fingerprint: z.string().optional(),
  service_tier: tier,
  usage,
  choices: z.array(
    z.looseObject({
      index: count,
      finish_reason: finish,
      logprobs,
      message: z.looseObject({
        role: z.literal('assistant'),
        content: z.string().nullable(),
        refusal: z.string().nullable(),
        annotations: z.array(z.looseObject({})).optional(),
        tool_calls: z.array(call).min(1).optional(),
        reasoning: z.string().optional(),
        reasoning_content: z.string().optional(),
      }),
    }),
  ),
});

export const openAiChunk = z.looseObject({
  id: z.string(),
  object: z.literal('chat.completion.chunk'),
  created: count,
  model: z.string(),
  system_fingerprint: z.string().optional(),
  service_tier: tier,
  usage: usage.nullish(),
  choices: z.array(
    z.looseObject({
      index: count,
      finish_reason: finish.nullable(),
      logprobs: logprobs.optional(),
      delta: z.looseObject({
        role: z.literal('assistant').optional(),
        content: z.string().nullish(),
        refusal: z.string().nullish(),
        reasoning: z.string().optional(),
        reasoning_content: z.string().optional(),
        tool_calls: z
          .array(
            z.looseObject({
              index: count,
              id: z.string().optional(),
              type: z.literal('function').optional(),
              function: z.looseObject({ name: z.string().optional(), arguments: z.string().optional() }).optional(),
            }),
          )
          .optional(),
      }),
    }),
  ),
});
