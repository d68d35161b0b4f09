import type { JsonObject } from '../../json/foreign-json.ts';
import { getCount } from './values.ts';

export interface GenerationTokens {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly reasoningTokens: number;
  readonly imageTokens: number;
}

/**
 * Reads the token counts of OpenRouter's record of an answer (`GET /generation`). It prefers the model's native counts,
 * because OpenRouter bills by those. Returns null if a count is missing.
 */
export function generationTokens(fields: JsonObject): GenerationTokens | null {
  const count = (...names: string[]) => getCount(fields, names);
  const promptTokens = count('native_tokens_prompt', 'tokens_prompt');
  const completionTokens = count('native_tokens_completion', 'tokens_completion');
  if (promptTokens === null || completionTokens === null) return null;
  return {
    promptTokens,
    completionTokens,
    cachedTokens: count('native_tokens_cached') ?? 0,
    reasoningTokens: count('native_tokens_reasoning') ?? 0,
    imageTokens: count('native_tokens_completion_images') ?? 0,
  };
}
