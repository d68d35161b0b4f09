import { asObject, isObject } from '../../json/foreign-json.ts';
import type { ReportedRequest } from '../reported.ts';
import { getUsd } from './amounts.ts';
import { generationTokens } from './generation-tokens.ts';
import { getCount, getSeconds, getText } from './values.ts';

/**
 * OpenRouter's record of an answer (`GET /generation`: https://openrouter.ai/docs/api/api-reference/generations/get-generation).
 * Costs in USD; tokens as the model counts them. Null: it does not say what the answer cost.
 */
export function readGeneration(answer: unknown): ReportedRequest | null {
  const fields = asObject(isObject(answer) ? answer.data : null);
  const id = getText(fields, ['id']);
  const cost = getUsd(fields, ['total_cost', 'usage']);
  const byok = fields.is_byok === true;
  const upstream = getUsd(fields, ['upstream_inference_cost']);
  if (id === null || cost === null || cost.startsWith('-') || (byok && upstream === null)) return null;
  const tokens = generationTokens(fields);
  return {
    id,
    object: 'request',
    other: true,
    created: getSeconds(fields, ['created_at']) ?? 0,
    provider: getText(fields, ['provider_name']),
    model: getText(fields, ['model']),
    status: fields.cancelled === true ? 'cancelled' : fields.finish_reason === 'error' ? 'failed' : 'succeeded',
    error_code: null,
    purpose: null,
    conversation_id: null,
    prompt_tokens: tokens?.promptTokens ?? 0,
    completion_tokens: tokens?.completionTokens ?? 0,
    total_tokens: tokens ? tokens.promptTokens + tokens.completionTokens : 0,
    cached_tokens: tokens?.cachedTokens ?? 0,
    cache_write_tokens: 0,
    reasoning_tokens: tokens?.reasoningTokens ?? 0,
    image_tokens: tokens?.imageTokens ?? 0,
    cost_usd: cost,
    upstream_cost_usd: upstream ?? cost,
    estimated: false,
    byok,
    latency_ms: { first_token: getCount(fields, ['latency']), total: getCount(fields, ['generation_time']) },
    key_id: null,
    price: null,
    routing: null,
    metadata: {},
  };
}
