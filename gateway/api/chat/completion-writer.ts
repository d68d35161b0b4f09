import { formatUsd } from '#shared/money.ts';
import { type ChatMessage, type CompletionRequest, maxOutputTokens } from '#shared/wire/chat-request.ts';
import type { CompletionResponse, CompletionUsage } from '#shared/wire/chat-response.ts';
import { errorEnvelope } from '../../http/error-response.ts';
import { imagesToWire } from '../../providers/content/made-images.ts';
import { plainDetail } from '../../providers/content/reasoning-details.ts';
import type { FormedAnswer } from './kept-answer.ts';
import type { AnswerIdentity } from './prompt-writer.ts';
import type { ChatCall } from './read-request.ts';
import { type DeltaPart, doneEvent, type FinishPart, getEvent, type StreamWriter } from './stream-writer.ts';
import { type CustomTools, callFor, createCustomCalls } from './tools/custom-tools.ts';

/** The whole answer of `POST /v1/chat/completions` (wire contract §1.3). */
export function completionResponse(
  { identity, route, finish, content }: FormedAnswer,
  { customTools: custom }: Pick<ChatCall, 'customTools'>,
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
    // A text in OpenAI's schema, and always there in ours: empty where the provider says none.
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
    upstream_cost_usd: upstreamCost === cost ? costUsd : formatUsd(upstreamCost),
    estimated,
  };
}

/**
 * The chunks of a streamed completion. Usage and routing ride on the finish chunk, or with `include_usage` in a chunk of
 * their own, with `usage: null` on every chunk before it (wire contract §0.8, §1.3).
 */
export function createCompletionWriter(
  identity: AnswerIdentity,
  includeUsage: boolean,
  custom: CustomTools,
): StreamWriter {
  const { id, created, requestId } = identity;
  let names: { readonly model: string; readonly provider: string } | null = null;
  /** What stands around the text of a text chunk: nearly every chunk is one, and nothing else of it ever changes. */
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

/** Under each of the names that clients look for: DeepSeek's, OpenRouter's, and OpenRouter's with signatures. */
function reasoningDelta({ text, details }: Extract<DeltaPart, { type: 'reasoning-delta' }>): object {
  const said = text === '' ? {} : { reasoning_content: text, reasoning: text };
  return { ...said, reasoning_details: details ?? [plainDetail(text)] };
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

const maxModel = 256;
const maxMessages = 2_048;
const messageFields = new Set(['role', 'content']);

/** The fields of a plain request, each with the whole of its rule; the schema's order does not matter. */
const checks: Readonly<Record<string, (value: unknown) => boolean>> = {
  model: (value) => typeof value === 'string' && value.length >= 1 && value.length <= maxModel,
  stream: (value) => typeof value === 'boolean',
  temperature: (value) => isNumber(value) && value >= 0 && value <= 2,
  top_p: (value) => isNumber(value) && value >= 0 && value <= 1,
  max_tokens: isOutputTokens,
  max_completion_tokens: isOutputTokens,
  messages: (value) =>
    Array.isArray(value) && value.length >= 1 && value.length <= maxMessages && value.every(isPlainMessage),
};

/**
 * The request itself where it is of the plainest and commonest kind: text messages and a few scalars. Null for all others,
 * right or wrong: those are the schema's. What is accepted here, `completionRequest` accepts with the same value; the
 * property test beside this file holds the two together.
 */
export function plainCompletion(body: Record<string, unknown>): CompletionRequest | null {
  if (body.messages === undefined) return null;
  for (const name of Object.keys(body)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (!check?.(body[name])) return null;
  }
  return body as unknown as CompletionRequest;
}

function isOutputTokens(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= maxOutputTokens;
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

function isPlainMessage(value: unknown): value is ChatMessage {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { role, content } = value as Record<string, unknown>;
  if (typeof content !== 'string') return false;
  if (role !== 'system' && role !== 'user' && role !== 'assistant' && role !== 'developer') return false;
  return Object.keys(value).every((name) => messageFields.has(name));
}
