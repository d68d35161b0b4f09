import { formatUsd } from '#shared/money.ts';
import type { CompletionResponse, CompletionUsage } from '#shared/wire/chat-response.ts';
import type { ChatRequest, CustomTools } from '../../engine/answer.ts';
import { errorEnvelope } from '../../http/error-response.ts';
import { imagesToWire } from '../../providers/content/made-images.ts';
import { plainDetail } from '../../providers/content/reasoning-details.ts';
import type { FormedAnswer } from './kept-answer.ts';
import type { AnswerIdentity } from './prompt-writer.ts';
import { type DeltaPart, doneEvent, type FinishPart, getEvent, type StreamWriter } from './stream-writer.ts';
import { callFor, createCustomCalls } from './tools/custom-tools.ts';

/** The non-streaming answer of `POST /v1/chat/completions` (wire contract §1.3). */
export function completionResponse(
  { identity, route, finish, content }: FormedAnswer,
  { customTools: custom }: Pick<ChatRequest, 'customTools'>,
): CompletionResponse {
  const { id, created } = identity;
  const { text, annotations, images, reasoning, reasoningDetails, refusal, toolCalls, logprobs } = content;
  const message = {
    role: 'assistant' as const,
    content: text === '' && (toolCalls.length > 0 || refusal !== '') ? null : text,
    refusal: refusal || null,
    ...(annotations.length ? { annotations: [...annotations] } : {}),
    ...(images.length ? { images: imagesToWire(images) } : {}),
    ...(reasoning ? { reasoning_content: reasoning, reasoning } : {}),
    ...(reasoningDetails.length ? { reasoning_details: [...reasoningDetails] } : {}),
    ...(toolCalls.length ? { tool_calls: toolCalls.map((call) => callFor(call, custom)) } : {}),
  };
  return {
    id,
    object: 'chat.completion',
    created,
    model: route.model,
    provider: route.provider,
    // OpenAI's schema wants a text here: it is empty when the provider sends none.
    system_fingerprint: finish.served?.systemFingerprint ?? '',
    ...getTier(finish),
    choices: [{ index: 0, message, logprobs: logprobs ?? null, finish_reason: finish.reason }],
    usage: completionUsage(finish),
    byok: finish.byok,
    routing: finish.routing,
    warnings: [...finish.warnings],
  };
}

const getTier = ({ served }: FinishPart) =>
  served?.serviceTier === undefined ? {} : { service_tier: served.serviceTier };

function completionUsage({ served, usage, cost, upstreamCost, estimated }: FinishPart): CompletionUsage {
  const costUsd = formatUsd(cost);
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
    prompt_tokens_details: {
      cached_tokens: usage.cachedTokens,
      cache_write_tokens: usage.cacheWriteTokens,
      audio_tokens: usage.audioTokens ?? 0,
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoningTokens,
      audio_tokens: 0,
      ...(usage.imageTokens ? { image_tokens: usage.imageTokens } : {}),
      accepted_prediction_tokens: served?.acceptedPredictionTokens ?? 0,
      rejected_prediction_tokens: served?.rejectedPredictionTokens ?? 0,
    },
    ...(usage.searches ? { server_tool_use: { web_search_requests: usage.searches } } : {}),
    cost_usd: costUsd,
    upstream_cost_usd: upstreamCost === cost ? costUsd : upstreamCost === null ? null : formatUsd(upstreamCost),
    estimated,
  };
}

/**
 * Writes the chunks of a streamed completion. Usage, routing and the cost's lines are in the finish chunk, or with `include_usage` in a
 * chunk of their own, with `usage: null` in every chunk before it (wire contract §0.8, §1.3).
 */
export function createCompletionWriter(
  identity: AnswerIdentity,
  includeUsage: boolean,
  custom: CustomTools,
): StreamWriter {
  const { id, created, requestId } = identity;
  let names: { readonly model: string; readonly provider: string } | null = null;
  /** The JSON around the text of a text chunk: nearly every chunk is one, and nothing but the text changes. */
  let [before, after] = ['', ''];
  let images = 0;

  const customCalls = custom.names.length > 0 ? createCustomCalls(custom) : null;
  const chunk = (fields: object): string =>
    getEvent(JSON.stringify({ id, object: 'chat.completion.chunk', created, ...names, ...fields }));
  const usageSlot = includeUsage ? { usage: null } : {};
  const choice = (delta: object, finishReason: string | null, logprobs: object | null = null) => ({
    choices: [{ index: 0, delta, logprobs, finish_reason: finishReason }],
  });

  return {
    opening({ model, provider }) {
      names = { model, provider };
      const empty = chunk({ ...choice({ content: '' }, null), ...usageSlot });
      const text = empty.lastIndexOf('""');
      [before, after] = [empty.slice(0, text), empty.slice(text + 2)];
      return chunk({ ...choice({ role: 'assistant', content: '' }, null), ...usageSlot });
    },
    delta(part) {
      if (customCalls?.take(part)) return '';
      if (part.type === 'image') {
        const wire = imagesToWire([part], images);
        images += 1;
        return chunk({ ...choice({ images: wire }, null), ...usageSlot });
      }
      if (part.type !== 'text-delta') return chunk({ ...choice(toDelta(part), null), ...usageSlot });
      if (part.logprobs) return chunk({ ...choice(toDelta(part), null, part.logprobs), ...usageSlot });
      return before + JSON.stringify(part.text) + after;
    },
    closing(finish) {
      const fingerprint = finish.served?.systemFingerprint;
      const facts = {
        ...(fingerprint === undefined ? {} : { system_fingerprint: fingerprint }),
        ...getTier(finish),
        usage: completionUsage(finish),
        byok: finish.byok,
        routing: finish.routing,
        warnings: finish.warnings,
        ...(finish.costBreakdown ? { portico: finish.costBreakdown } : {}),
      };
      const texts = customCalls?.calls() ?? [];
      const called = texts.length > 0 ? chunk({ ...choice({ tool_calls: texts }, null), ...usageSlot }) : '';
      if (!includeUsage) return called + chunk({ ...choice({}, finish.reason), ...facts }) + doneEvent;
      const end = chunk({ ...choice({}, finish.reason), usage: null });
      return called + end + chunk({ choices: [], ...facts }) + doneEvent;
    },
    failure: (error) => getEvent(JSON.stringify({ ...errorEnvelope(error, requestId), id, created, ...names })),
  };
}

/** Writes reasoning under each of the names that clients look for: DeepSeek's, OpenRouter's, and OpenRouter's with signatures. */
function reasoningDelta({ text, details }: Extract<DeltaPart, { type: 'reasoning-delta' }>): object {
  const texts = text === '' ? {} : { reasoning_content: text, reasoning: text };
  return { ...texts, reasoning_details: details ?? [plainDetail(text)] };
}

function toDelta(part: Exclude<DeltaPart, { type: 'image' }>): object {
  switch (part.type) {
    case 'text-delta':
      return { content: part.text };
    case 'reasoning-delta':
      return reasoningDelta(part);
    case 'refusal-delta':
      return { refusal: part.text };
    case 'annotations':
      return { annotations: part.annotations };
    case 'tool-call-start': {
      const fn = { name: part.name, arguments: '' };
      const extra = part.extraContent ? { extra_content: part.extraContent } : {};
      return { tool_calls: [{ index: part.index, id: part.id, type: 'function', function: fn, ...extra }] };
    }
    case 'tool-call-delta':
      return { tool_calls: [{ index: part.index, function: { arguments: part.arguments } }] };
  }
}
