import { asArray, asObject, asText, isObject, type JsonObject } from '../../json/foreign-json.ts';
import type { ReportedChunk } from '../reported.ts';
import { getUsd } from './amounts.ts';
import { inUnit, withMoneyUnit } from './money-units.ts';
import { getCount, getSeconds, getText } from './values.ts';

type Choice = ReportedChunk['choices'][number];
type Usage = NonNullable<ReportedChunk['usage']>;

/**
 * Reads an event of a streamed answer: an OpenAI chunk, perhaps incomplete, a complete (non-streaming) completion, or
 * the interface's own `{ text }` (gateway interface §2.2). Returns null for anything else.
 */
export function readChunk(value: unknown, unit: string | null = null): ReportedChunk | null {
  if (!isObject(value)) return null;
  const choices = Array.isArray(value.choices)
    ? asArray(value.choices).map(asObject).map(getChoice)
    : plainChoice(value);
  const usage = getUsage(value, unit);
  if (choices === null && usage === null) return null;
  const provider = getText(value, ['provider']);
  return {
    id: getText(value, ['id']) ?? '',
    object: 'chat.completion.chunk',
    created: getSeconds(value, ['created']) ?? 0,
    model: getText(value, ['model']) ?? '',
    ...(provider === null ? {} : { provider }),
    choices: choices ?? [],
    ...(usage === null ? {} : { usage }),
    ...(value.byok === true || value.is_byok === true || asObject(value.usage).is_byok === true ? { byok: true } : {}),
  };
}

function getChoice(choice: JsonObject, index: number): Choice {
  const delta = asObject(choice.delta ?? choice.message);
  const content = asText(delta.content) ?? partsText(delta.content) ?? asText(choice.text);
  const reasoning = getText(delta, ['reasoning_content', 'reasoning', 'thinking']);
  const refusal = asText(delta.refusal);
  const images = asArray(delta.images).filter(isObject) as Choice['delta']['images'];
  const annotations = asArray(delta.annotations).filter(isObject);
  const calls = asArray(delta.tool_calls).filter(isObject).map(getCall);
  return {
    index: getCount(choice, ['index']) ?? index,
    delta: {
      ...(content === null ? {} : { content }),
      ...(reasoning === null ? {} : { reasoning_content: reasoning }),
      ...(refusal === null ? {} : { refusal }),
      ...(images?.length ? { images: images.filter(({ image_url: image }) => asText(image?.url) !== null) } : {}),
      ...(annotations.length > 0 ? { annotations } : {}),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    },
    finish_reason: getFinish(asText(choice.finish_reason) ?? asText(choice.stop_reason)),
  };
}

/** Some servers send the content as a list of parts. */
const partsText = (content: unknown): string | null =>
  Array.isArray(content) ? content.map((part) => asText(asObject(part).text) ?? '').join('') : null;

/** Reads `{ text }`, and `{ text: '', done: true }` or an explicit finish reason. */
function plainChoice(value: JsonObject): Choice[] | null {
  const content =
    asText(value.text) ?? asText(value.content) ?? asText(value.delta) ?? asText(asObject(value.message).content);
  const end = value.done === true ? 'stop' : null;
  const finish = getFinish(asText(value.finish_reason)) ?? end;
  if (content === null && finish === null) return null;
  return [{ index: 0, delta: { content: content ?? '' }, finish_reason: finish }];
}

function getCall(call: JsonObject, index: number): NonNullable<Choice['delta']['tool_calls']>[number] {
  const fields = asObject(call.function);
  const [id, name] = [asText(call.id), asText(fields.name)];
  const given = isObject(fields.arguments) ? JSON.stringify(fields.arguments) : asText(fields.arguments);
  return {
    ...(isObject(call.extra_content) ? { extra_content: call.extra_content } : {}),
    index: getCount(call, ['index']) ?? index,
    ...(id ? { id } : {}),
    type: 'function',
    function: { ...(name ? { name } : {}), ...(given === null ? {} : { arguments: given }) },
  };
}

/** Maps other servers' finish reasons to ours. An unknown one still ends the answer. */
function getFinish(reported: string | null): Choice['finish_reason'] {
  if (reported === null || reported === '') return null;
  if (['length', 'max_tokens', 'max_output_tokens', 'model_length'].includes(reported.toLowerCase())) return 'length';
  if (['tool_calls', 'tool_use', 'function_call', 'tool-calls'].includes(reported.toLowerCase())) return 'tool_calls';
  return ['content_filter', 'safety', 'refusal'].includes(reported.toLowerCase()) ? 'content_filter' : 'stop';
}

/** Returns null if no token counts are reported. The cost is OpenRouter's `usage.cost` in USD, if present. */
function getUsage(value: JsonObject, unit: string | null): Usage | null {
  const around = inUnit(value, unit);
  const fields = inUnit(withMoneyUnit(asObject(value.usage ?? value.tokens), around), unit);
  const prompt = getCount(fields, ['prompt_tokens', 'input_tokens']);
  const completion = getCount(fields, ['completion_tokens', 'output_tokens']);
  if (prompt === null || completion === null) return null;
  const cost = getUsd(fields, ['cost_usd', 'cost', 'total_cost']) ?? getUsd(around, ['cost_usd', 'cost']);
  const upstream = getUsd(fields, ['upstream_cost_usd', 'cost_details.upstream_inference_cost']);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: getCount(fields, ['total_tokens']) ?? prompt + completion,
    prompt_tokens_details: {
      cached_tokens: getCount(fields, ['prompt_tokens_details.cached_tokens', 'cached_tokens']) ?? 0,
      cache_write_tokens: getCount(fields, ['prompt_tokens_details.cache_write_tokens']) ?? 0,
      audio_tokens: getCount(fields, ['prompt_tokens_details.audio_tokens']) ?? 0,
    },
    completion_tokens_details: {
      reasoning_tokens: getCount(fields, ['completion_tokens_details.reasoning_tokens', 'reasoning_tokens']) ?? 0,
      audio_tokens: 0,
      ...imageTokens(getCount(fields, ['completion_tokens_details.image_tokens'])),
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
    cost_usd: cost,
    upstream_cost_usd: upstream,
    estimated: fields.estimated === true,
  };
}

const imageTokens = (image_tokens: number | null) => (image_tokens ? { image_tokens } : {});
