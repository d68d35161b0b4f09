import { z } from 'zod';
import { AppError } from '#shared/errors.ts';

const word = z.string().regex(/^[\w.-]{1,64}$/);
const predictedText = z.union([z.string(), z.array(z.object({ type: z.literal('text'), text: z.string() }))]);

/** OpenAI's further fields by their types; what else one holds is left out. */
const fields = z
  .object({
    logprobs: z.boolean(),
    top_logprobs: z.int(),
    logit_bias: z.record(z.string(), z.number()),
    prediction: z.object({ type: z.literal('content'), content: predictedText }),
    service_tier: word,
    verbosity: word,
    prompt_cache_key: z.string(),
    safety_identifier: z.string(),
  })
  .partial();

/**
 * OpenAI's own fields as its models are given them. Each is held to its type: at an address of the operator's choosing may
 * be a server that would fetch what a field of another shape names. Throws `invalid_value`.
 */
export function openAiFields(given: Readonly<Record<string, unknown>>): z.infer<typeof fields> {
  const result = fields.safeParse(given);
  if (result.success) return result.data;
  const param = String(result.error.issues[0]?.path[0] ?? '');
  throw new AppError('invalid_value', `"${param}" is not what OpenAI takes there.`, { param });
}
