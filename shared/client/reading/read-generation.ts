import { asObject, isObject } from '../../json/foreign-json.ts';
import type { ReportedRequest } from '../reported.ts';
import { countOf, secondsOf, textOf, usdOf } from './values.ts';

/**
 * OpenRouter's record of an answer (`GET /generation`: https://openrouter.ai/docs/api/api-reference/generations/get-generation).
 * Costs in USD; tokens as the model counts them. Null: it does not say what the answer cost.
 */
export function readGeneration(answer: unknown): ReportedRequest | null {
  const fields = asObject(isObject(answer) ? answer.data : null);
  const id = textOf(fields, ['id']);
  const cost = usdOf(fields, ['total_cost', 'usage']);
  const byok = fields.is_byok === true;
  const upstream = usdOf(fields, ['upstream_inference_cost']);
  if (id === null || cost === null || cost.startsWith('-') || (byok && upstream === null)) return null;
  const prompt = countOf(fields, ['native_tokens_prompt', 'tokens_prompt']);
  const completion = countOf(fields, ['native_tokens_completion', 'tokens_completion']);
  const counted = prompt !== null && completion !== null;
  const of = (name: string) => (counted ? (countOf(fields, [name]) ?? 0) : 0);
  return {
    id,
    object: 'request',
    other: true,
    created: secondsOf(fields, ['created_at']) ?? 0,
    provider: textOf(fields, ['provider_name']),
    model: textOf(fields, ['model']),
    status: fields.cancelled === true ? 'cancelled' : fields.finish_reason === 'error' ? 'failed' : 'succeeded',
    error_code: null,
    purpose: null,
    conversation_id: null,
    prompt_tokens: counted ? prompt : 0,
    completion_tokens: counted ? completion : 0,
    total_tokens: counted ? prompt + completion : 0,
    cached_tokens: of('native_tokens_cached'),
    cache_write_tokens: 0,
    reasoning_tokens: of('native_tokens_reasoning'),
    image_tokens: of('native_tokens_completion_images'),
    cost_usd: cost,
    upstream_cost_usd: upstream ?? cost,
    estimated: false,
    byok,
    latency_ms: { first_token: countOf(fields, ['latency']), total: countOf(fields, ['generation_time']) },
    key_id: null,
    price: null,
    routing: null,
    metadata: {},
  };
}
