import { AppError } from '#shared/errors.ts';
import { asArray, asCount, asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';
import { type NanoUsd, nanoUsd } from '#shared/money.ts';
import type { TokenUsage } from '#shared/price.ts';
import type { FinishReason } from '#shared/wire/chat-response.ts';
import { parseExact } from '../../runtime/json/exact-numbers.ts';
import { eventLimits } from '../../runtime/json/json-limits.ts';
import { parseEvent, parseWithin } from '../../runtime/json/parse-json.ts';
import { getImages } from '../content/made-images.ts';
import { detailsIn } from '../content/reasoning-details.ts';
import type { ProviderEvent, ProviderRequest, Served } from '../provider.ts';
import { readFault, upstreamError } from '../upstream/upstream-error.ts';
import { completionBody } from './completion-body.ts';
import type { Dialect } from './dialects.ts';
import { createStreamedCalls } from './streamed-calls.ts';
import { templateTurns } from './template-rules.ts';
import {
  type ClosingTagWatch,
  createClosingTagWatch,
  createThinkTags,
  type OpeningTag,
  type ThinkTags,
} from './think-tags.ts';

/** The JSON before and after the text of a chunk. Nearly all chunks of a stream differ only in their text. */
interface ChunkTemplate {
  readonly before: string;
  readonly after: string;
}

const name = '"content":';
const probe = '\u0001 \u2028"\\';

/**
 * Creates the template of a chunk that contains one piece of text and nothing else; null for any other chunk. The
 * template is tested by putting another text into it: nothing but the text may change.
 */
function createTemplate(data: string, chunk: JsonObject, events: readonly ProviderEvent[]): ChunkTemplate | null {
  const [event, ...more] = events;
  if (event?.type !== 'text-delta' || event.logprobs || more.length > 0) return null;
  const start = data.indexOf(name) + name.length;
  const literal = JSON.stringify(event.text);
  if (start < name.length || !data.startsWith(literal, start)) return null;
  const template = { before: getCopy(data.slice(0, start)), after: getCopy(data.slice(start + literal.length)) };
  const probed = JSON.stringify(parseExact(`${template.before}${JSON.stringify(probe)}${template.after}`));
  const expected = JSON.stringify(chunk).split(`${name}${literal}`);
  return probed === expected.join(`${name}${JSON.stringify(probe)}`) && expected.length === 2 ? template : null;
}

/** Copies a text, because a slice would keep the text that it was cut from in memory. */
const getCopy = (text: string) => Buffer.from(text).toString();

/** Returns the text of a chunk that matches the template; null if the chunk doesn't match or has no text. */
function contentIn(data: string, { before, after }: ChunkTemplate): string | null {
  const end = data.length - after.length;
  // Comparing slices is several times as fast as `startsWith`.
  if (end - before.length < 2 || data.slice(0, before.length) !== before || data.slice(end) !== after) return null;
  if (data[before.length] !== '"' || data[end - 1] !== '"') return null;
  try {
    const text: unknown = JSON.parse(data.slice(before.length, end));
    return typeof text === 'string' ? text : null;
  } catch {
    // There is more than a text between the two parts, so the chunk has another form.
    return null;
  }
}

/** Reads the `data:` payloads of one streamed completion. */
export class ChunkReader {
  /** True once `[DONE]` and the usage were read. Everything after it is ignored. */
  done = false;
  /** True once `[DONE]` was read: the answer is complete, but its usage may still come. */
  isComplete = false;
  /** The server's id of its answer; null until the server sends it. */
  id: string | null = null;
  readonly maxEvent: number | undefined;
  readonly #provider: string;
  readonly #calls = createStreamedCalls();
  readonly #details: unknown[] = [];
  #started = false;
  #isWhole = false;
  #finish: FinishReason | null = null;
  #served: Served | null = null;
  #template: ChunkTemplate | null = null;
  #isCounted = false;
  /** Null once no text of the answer can be thinking any more. */
  #tags: ThinkTags | null;
  readonly #opening: OpeningTag | null;
  readonly #watch: ClosingTagWatch | null;

  /**
   * `maxEvent`: set if an event may be longer than usual. `opening`: what is known of the model's `<think>` tags; null if
   * they are text like any other. `isCollected`: nobody reads the answer before its end.
   */
  constructor(provider: string, maxEvent?: number, opening: OpeningTag | null = null, isCollected = false) {
    this.#provider = provider;
    this.maxEvent = maxEvent;
    this.#opening = opening;
    this.#tags = opening && createThinkTags(opening, isCollected);
    this.#watch = opening?.expected === 'plain' ? createClosingTagWatch(opening.learn) : null;
  }

  read(data: string): ProviderEvent[] {
    if (this.done) return [];
    if (data === '[DONE]') {
      this.isComplete = true;
      this.done = this.#isCounted;
      this.#finish ??= this.#calls.count > 0 ? 'tool_calls' : 'stop';
      return [...this.#begin(), ...this.#endText(), ...this.#endCalls()];
    }
    if (this.isComplete) return this.#readLate(data);
    const text = this.#template && contentIn(data, this.#template);
    if (text) return this.#withoutTags([{ type: 'text-delta', text }]);
    const chunk = parseEvent(data, this.#provider);
    const events = this.#readChunk(chunk);
    this.#template ??= createTemplate(data, chunk, events);
    return this.#withoutTags(events);
  }

  /** Reads a non-streaming completion. */
  readWhole(completion: JsonObject): ProviderEvent[] {
    this.#isWhole = true;
    this.#tags = this.#opening && createThinkTags(this.#opening, true);
    return [...this.#withoutTags(this.#readChunk(completion)), ...this.end()];
  }

  /** Returns the last events: the finish, but only if the server reported that its answer is complete. */
  end(): ProviderEvent[] {
    const served = this.#served ? { served: this.#served } : {};
    if (!this.#finish) return this.#endText();
    return [...this.#endText(), ...this.#endCalls(), { type: 'finish', reason: this.#finish, ...served }];
  }

  /** Some servers send the usage after `[DONE]`. Whatever else they send there isn't part of the answer. */
  #readLate(data: string): ProviderEvent[] {
    const chunk = asObject(parseWithin(data, eventLimits));
    const usage = usageEvent(chunk);
    if (usage.length === 0) return [];
    this.#served = servedBy(chunk, this.#served);
    this.done = true;
    return usage;
  }

  #withoutTags(events: ProviderEvent[]): ProviderEvent[] {
    const tags = this.#tags;
    if (!tags) {
      if (this.#watch) for (const event of events) if (event.type === 'text-delta') this.#watch.see(event.text);
      return events;
    }
    const certain = tags.add(events);
    if (tags.isSettled) this.#tags = null;
    return certain;
  }

  #endText(): ProviderEvent[] {
    const events = this.#tags?.end(this.#finish === 'length') ?? [];
    this.#tags = null;
    return events;
  }

  #begin(): ProviderEvent[] {
    if (this.#started) return [];
    this.#started = true;
    return [{ type: 'start' }];
  }

  #readChunk(chunk: JsonObject): ProviderEvent[] {
    if (chunk.error) throw upstreamError(readFault(chunk, this.#provider, null));
    this.id ??= asText(chunk.id);
    this.#served = servedBy(chunk, this.#served);
    const choice = asArray(chunk.choices)[0];
    const events = this.#begin();
    if (choice) this.#readChoice(asObject(choice), events);
    const usage = mayReportUsage(chunk, asObject(choice)) ? usageEvent(chunk) : [];
    this.#isCounted ||= usage.length > 0;
    events.push(...usage);
    return events;
  }

  /**
   * Adds the events of a choice to the list of its chunk. There's only one list, because a chunk is nearly always one
   * piece of text.
   */
  #readChoice(choice: JsonObject, events: ProviderEvent[]): void {
    const delta = asObject(choice.delta ?? choice.message);
    const reason = asText(choice.finish_reason);
    const hasCalls = this.#calls.count > 0 || asArray(delta.tool_calls).length > 0;
    const details = delta.reasoning_details ? detailsIn(delta.reasoning_details) : [];
    this.#details.push(...details);
    if (reason) this.#finish = finishReason(this.#provider, reason, hasCalls);
    const reasoning = delta.reasoning_content ?? delta.reasoning;
    if (details.length > 0) events.push({ type: 'reasoning-delta', text: asText(reasoning) ?? '', details });
    else addText(events, 'reasoning-delta', reasoning);
    addContent(events, delta.content, choice.logprobs);
    addText(events, 'refusal-delta', delta.refusal);
    const annotations = delta.annotations ? asArray(delta.annotations).map(asObject) : [];
    if (annotations.length > 0) events.push({ type: 'annotations', annotations });
    if (delta.images) events.push(...getImages(delta.images));
    const calls = asArray(delta.tool_calls);
    if (calls.length > 0) events.push(...this.#calls.add(calls, this.#isWhole, (own) => this.#extraContent(own)));
  }

  /**
   * Some servers send the finish reason before the rest of a call, so calls are completed only at the end of the
   * stream.
   */
  #endCalls(): ProviderEvent[] {
    return this.#calls.count > 0 ? this.#calls.end(this.#finish === 'length') : [];
  }

  /** OpenRouter's opaque thinking is attached to the first call after it, and comes back with that call. */
  #extraContent(own: unknown): JsonObject | null {
    const kept = this.#details.splice(0);
    if (kept.length === 0) return own ? asObject(own) : null;
    return { ...asObject(own), openrouter: { reasoning_details: kept } };
  }
}

type TextType = 'text-delta' | 'reasoning-delta' | 'refusal-delta';

function addText(events: ProviderEvent[], type: TextType, value: unknown): void {
  if (typeof value === 'string' && value !== '') events.push({ type, text: value });
}

/**
 * Adds a text, with its log probabilities if they were requested. Mistral sends a list of text and thinking instead.
 */
function addContent(events: ProviderEvent[], content: unknown, logprobs: unknown): void {
  if (Array.isArray(content)) for (const piece of content) addPiece(events, asObject(piece));
  else if (!logprobs) addText(events, 'text-delta', content);
  else events.push({ type: 'text-delta', text: asText(content) ?? '', logprobs: asObject(logprobs) });
}

function addPiece(events: ProviderEvent[], piece: JsonObject): void {
  if (piece.type !== 'thinking') addText(events, 'text-delta', piece.text);
  else for (const part of asArray(piece.thinking)) addText(events, 'reasoning-delta', asObject(part).text);
}

function finishReason(provider: string, reason: string, hasCalls: boolean): FinishReason {
  switch (reason) {
    case 'length':
    case 'model_length':
      return 'length';
    case 'content_filter':
    case 'tool_calls':
      return reason;
    case 'insufficient_system_resource':
      throw new AppError('upstream_overloaded', `${provider} ran out of resources in the middle of its answer.`, {
        provider,
      });
    case 'error':
    case 'abort':
      throw new AppError('upstream_error', `${provider} broke its answer off.`, { provider });
    default:
      return reason === 'function_call' || hasCalls ? 'tool_calls' : 'stop';
  }
}

/** For messages shorter than this, in bytes, serialising them again costs less than avoiding it. */
const longMessages = 512;
const noMessages = '"messages":[]';

/** The body of `POST /chat/completions` with the messages exactly as they arrived; null if they have to change. */
export function completionBytes(request: ProviderRequest, dialect: Dialect): Uint8Array | null {
  const { messagesJson, messages } = request;
  if (!messagesJson || messagesJson.byteLength < longMessages) return null;
  if (!dialect.knowsDeveloperRole && messages.some(({ role }) => role === 'developer')) return null;
  if (templateTurns(messages, dialect) !== messages) return null;
  const text = JSON.stringify(completionBody({ ...request, messages: [] }, dialect));
  const [before, after, ...more] = text.split(noMessages);
  if (before === undefined || after === undefined || more.length > 0) return null;
  return Buffer.concat([Buffer.from(`${before}"messages":`), messagesJson, Buffer.from(after)]);
}

/**
 * Merges a chunk's report on how it was served into the reports before it. Returns the earlier object if there is
 * nothing new.
 */
function servedBy(chunk: JsonObject, before: Served | null): Served | null {
  const serviceTier = asText(chunk.service_tier) ?? before?.serviceTier;
  const systemFingerprint = asText(chunk.system_fingerprint) ?? before?.systemFingerprint;
  const predicted = chunk.usage ? predictedTokens(asObject(asObject(chunk.usage).completion_tokens_details)) : null;
  if (!predicted && serviceTier === before?.serviceTier && systemFingerprint === before?.systemFingerprint)
    return before;
  return {
    ...before,
    ...(serviceTier === undefined ? {} : { serviceTier }),
    ...(systemFingerprint === undefined ? {} : { systemFingerprint }),
    ...predicted,
  };
}

/** Null if the answer used no prediction. */
function predictedTokens(details: JsonObject): Served | null {
  const acceptedPredictionTokens = asCount(details.accepted_prediction_tokens) ?? 0;
  const rejectedPredictionTokens = asCount(details.rejected_prediction_tokens) ?? 0;
  return acceptedPredictionTokens + rejectedPredictionTokens > 0
    ? { acceptedPredictionTokens, rejectedPredictionTokens }
    : null;
}

/** Whether a chunk has one of the places for the usage. Nearly no chunk has. */
const mayReportUsage = (chunk: JsonObject, choice: JsonObject): boolean =>
  Boolean(chunk.usage ?? chunk.x_groq ?? choice.usage ?? chunk.timings ?? asObject(choice.delta).usage) ||
  chunk.prompt_eval_count !== undefined ||
  asObject(choice.message).usage !== undefined;

/**
 * Returns the usage that a chunk reports: in OpenAI's field, in Groq's (`x_groq`), in Moonshot's (in the choice or its
 * delta), or as Ollama and llama.cpp count by themselves. Empty if it reports none.
 */
export function usageEvent(chunk: JsonObject): ProviderEvent[] {
  const choice = asObject(asArray(chunk.choices)[0]);
  const places = [
    chunk.usage,
    asObject(chunk.x_groq).usage,
    choice.usage,
    asObject(choice.delta).usage,
    asObject(choice.message).usage,
    ollamaUsage(chunk),
    llamaUsage(chunk.timings),
  ];
  for (const place of places) {
    const usage = asObject(place);
    const counts = getCounts(usage);
    if (!counts) continue;
    const cost = getCost(usage);
    const event: ProviderEvent = { type: 'usage', usage: counted(usage, counts.prompt, counts.completion) };
    return [cost === null ? event : { ...event, cost }];
  }
  return [];
}

const ollamaUsage = ({ prompt_eval_count, eval_count }: JsonObject): JsonObject => ({
  prompt_tokens: prompt_eval_count,
  completion_tokens: eval_count,
});

/** llama.cpp counts the tokens that it computed (`prompt_n`) without those of its cache (`cache_n`). */
function llamaUsage(timings: unknown): JsonObject {
  const { prompt_n, cache_n, predicted_n } = asObject(timings);
  const computed = asCount(prompt_n);
  if (computed === null) return {};
  const cached = asCount(cache_n) ?? 0;
  return { prompt_tokens: computed + cached, completion_tokens: predicted_n, cached_tokens: cached };
}

/** Returns the counts under OpenAI's names, or under those of its Responses API and of Anthropic; null if one is missing. */
function getCounts(usage: JsonObject): { readonly prompt: number; readonly completion: number } | null {
  const total = asCount(usage.total_tokens);
  const prompt = asCount(usage.prompt_tokens) ?? asCount(usage.input_tokens);
  if (prompt === null) return null;
  // A server may leave out the count of an answer without tokens.
  const left = usage.completion_tokens === undefined && total !== null && total >= prompt ? total - prompt : null;
  const completion = asCount(usage.completion_tokens) ?? asCount(usage.output_tokens) ?? left;
  if (completion === null) return null;
  const cached = getCached(usage) + getWritten(usage);
  // Anthropic's input has nothing of the cache in it. The total shows the same of others.
  const isAnthropic =
    usage.prompt_tokens === undefined && !usage.input_tokens_details && !usage.prompt_tokens_details && total === null;
  const leavesOutCache = isAnthropic || (cached > 0 && total === prompt + completion + cached);
  return { prompt: leavesOutCache ? prompt + cached : prompt, completion };
}

/** The fields in which servers report the input that came from a cache. */
const cachedNames = [
  // DeepSeek; Moonshot, Together and StepFun; servers that mix the formats of OpenAI and Anthropic; Bedrock; Mistral.
  'prompt_cache_hit_tokens',
  'cached_tokens',
  'cache_read_input_tokens',
  'cacheReadInputTokens',
  'cache_read_tokens',
  'num_cached_tokens',
  'cached_input_tokens',
  'cached_prompt_tokens',
  'prompt_cached_tokens',
  'cached_content_token_count',
  'cachedContentTokenCount',
] as const;

/** The fields in which servers report the input that was written to a cache. */
const writtenNames = [
  'cache_write_tokens',
  'cache_creation_input_tokens',
  'cacheWriteInputTokens',
  'cacheCreationInputTokens',
  'cache_creation_tokens',
  'cache_write_input_tokens',
] as const;

const getDetails = (usage: JsonObject): readonly JsonObject[] => [
  asObject(usage.prompt_tokens_details),
  asObject(usage.input_tokens_details),
  usage,
];

const getCached = (usage: JsonObject): number =>
  firstCount(getDetails(usage).flatMap((place) => cachedNames.map((field) => place[field])));

const getWritten = (usage: JsonObject): number =>
  firstCount(getDetails(usage).flatMap((place) => writtenNames.map((field) => place[field])));

function counted(usage: JsonObject, promptTokens: number, completionTokens: number): TokenUsage {
  const prompt = asObject(usage.prompt_tokens_details ?? usage.input_tokens_details);
  const completion = asObject(usage.completion_tokens_details ?? usage.output_tokens_details);
  const reasoningTokens = firstCount([completion.reasoning_tokens, usage.reasoning_tokens]);
  const imageTokens = asCount(completion.image_tokens);
  const cachedTokens = Math.min(promptTokens, getCached(usage));
  const audioTokens = asCount(prompt.audio_tokens);
  return {
    promptTokens,
    completionTokens: completionTokens + (leavesOutReasoning(usage, reasoningTokens) ? reasoningTokens : 0),
    cachedTokens,
    cacheWriteTokens: Math.min(promptTokens - cachedTokens, getWritten(usage)),
    reasoningTokens,
    ...(audioTokens ? { audioTokens } : {}),
    ...(imageTokens ? { imageTokens } : {}),
  };
}

/** Returns the first count above zero, because servers fill the fields that they don't use with 0 or null. */
const firstCount = (values: readonly unknown[]): number =>
  values.map((value) => asCount(value) ?? 0).find((count) => count > 0) ?? 0;

/** xAI counts thinking beside the completion, not in it. The total shows which one it was. */
function leavesOutReasoning(usage: JsonObject, reasoningTokens: number): boolean {
  const parts = (asCount(usage.prompt_tokens) ?? 0) + (asCount(usage.completion_tokens) ?? 0);
  return reasoningTokens > 0 && asCount(usage.total_tokens) === parts + reasoningTokens;
}

/**
 * OpenRouter's cost in USD. If the account has its own provider key there, the cost includes what that provider bills.
 */
function getCost(usage: JsonObject): NanoUsd | null {
  const cost = toNano(usage.cost);
  if (cost === null || usage.is_byok !== true) return cost;
  return nanoUsd(cost + (toNano(asObject(usage.cost_details).upstream_inference_cost) ?? 0n));
}

/** Converts a JSON number of dollars by its digits, rounded up, and never by arithmetic on the float. */
export function toNano(value: unknown): NanoUsd | null {
  const match = typeof value === 'number' ? /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) : null;
  if (!match) return null;
  const [, whole = '0', fraction = '', exponent = '0'] = match;
  const digits = BigInt(`${whole}${fraction}`);
  const shift = 9 + Number(exponent) - fraction.length;
  if (shift >= 0) return nanoUsd(digits * 10n ** BigInt(Math.min(shift, 40)));
  const unit = 10n ** BigInt(-shift);
  return nanoUsd((digits + unit - 1n) / unit);
}
