import { type NanoUsd, nanoUsd } from '#shared/money.ts';
import type { TokenUsage } from '#shared/price.ts';
import { asCount, asObject, type JsonObject } from '../../json/json-value.ts';
import type { ProviderEvent } from '../provider.ts';

/** The usage that a chunk reports, in OpenAI's place or in Groq's. Nothing where it reports none. */
export function usageEvent(chunk: JsonObject): ProviderEvent[] {
  const usage = asObject(chunk.usage ?? asObject(chunk.x_groq).usage);
  const promptTokens = asCount(usage.prompt_tokens);
  const completionTokens = asCount(usage.completion_tokens);
  if (promptTokens === null || completionTokens === null) return [];
  const cost = costOf(usage);
  return [{ type: 'usage', usage: counted(usage, promptTokens, completionTokens), ...(cost === null ? {} : { cost }) }];
}

function counted(usage: JsonObject, promptTokens: number, completionTokens: number): TokenUsage {
  const prompt = asObject(usage.prompt_tokens_details);
  const reasoningTokens = asCount(asObject(usage.completion_tokens_details).reasoning_tokens) ?? 0;
  const cachedTokens = Math.min(
    promptTokens,
    asCount(prompt.cached_tokens) ?? asCount(usage.prompt_cache_hit_tokens) ?? 0,
  );
  const audioTokens = asCount(prompt.audio_tokens);
  return {
    promptTokens,
    completionTokens: completionTokens + (leavesOutReasoning(usage, reasoningTokens) ? reasoningTokens : 0),
    cachedTokens,
    cacheWriteTokens: Math.min(promptTokens - cachedTokens, asCount(prompt.cache_write_tokens) ?? 0),
    reasoningTokens,
    ...(audioTokens ? { audioTokens } : {}),
  };
}

/** xAI counts thinking beside the completion, not in it; the total tells. */
function leavesOutReasoning(usage: JsonObject, reasoningTokens: number): boolean {
  const parts = (asCount(usage.prompt_tokens) ?? 0) + (asCount(usage.completion_tokens) ?? 0);
  return reasoningTokens > 0 && asCount(usage.total_tokens) === parts + reasoningTokens;
}

/** OpenRouter's cost in USD, with what a key of one's own there is billed by the provider behind it. */
function costOf(usage: JsonObject): NanoUsd | null {
  const cost = nanoOf(usage.cost);
  if (cost === null || usage.is_byok !== true) return cost;
  return nanoUsd(cost + (nanoOf(asObject(usage.cost_details).upstream_inference_cost) ?? 0n));
}

/** A JSON number of dollars by its digits, as they were sent, rounded up; never by arithmetic on the float. */
export function nanoOf(value: unknown): NanoUsd | null {
  const match = typeof value === 'number' ? /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) : null;
  if (!match) return null;
  const [, whole = '0', fraction = '', exponent = '0'] = match;
  const digits = BigInt(`${whole}${fraction}`);
  const shift = 9 + Number(exponent) - fraction.length;
  if (shift >= 0) return nanoUsd(digits * 10n ** BigInt(Math.min(shift, 40)));
  const unit = 10n ** BigInt(-shift);
  return nanoUsd((digits + unit - 1n) / unit);
}
