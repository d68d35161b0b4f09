import { asArray, asCount, asObject, asText, hasCountsOnly, type JsonObject } from '#shared/json/foreign-json.ts';
import type { TokenUsage } from '#shared/price.ts';
import type { ReasoningDetail } from '#shared/wire/chat-request.ts';
import type { FinishReason } from '#shared/wire/chat-response.ts';
import { type Effort, effortOrder } from '../../models/catalogue/model-facts.ts';
import { parseEvent } from '../../runtime/json/parse-json.ts';
import { upstreamBody } from '../changed-request.ts';
import { citations } from '../content/citations.ts';
import { anthropicFormat, blockId } from '../content/reasoning-details.ts';
import type { ListedModel, Provider, ProviderContext, ProviderEvent } from '../provider.ts';
import { answerEvents } from '../upstream/event-stream.ts';
import { readFault, upstreamError } from '../upstream/upstream-error.ts';
import { readJson, upstreamFetch } from '../upstream/upstream-fetch.ts';
import { bindingHeaders } from './thinking.ts';
import { withThinking } from './thinking-state.ts';

/**
 * Reads the content blocks of one message: text, thinking and tool calls. Each block has a start, deltas and a stop.
 */
interface BlockReader {
  start(event: JsonObject): ProviderEvent[];
  delta(event: JsonObject): ProviderEvent[];
  stop(event: JsonObject): ProviderEvent[];
  /** Reads a block that arrived in one piece, at this index of its message. */
  whole(block: JsonObject, index: number): ProviderEvent[];
}

interface OpenBlock {
  readonly type: string;
  /** Index among the tool calls; -1 for any other block. */
  readonly call: number;
  /** Arguments that came with the block's start; `started` once they arrive as deltas. */
  input: string;
  thinking: string;
  signature: string;
  /** Identifies a thinking block and its place in the message to the client. */
  readonly id: string;
  /** Offset of the block's text in the text of the message. */
  readonly from: number;
  /** Web pages that the block's text cites. */
  readonly sources: JsonObject[];
}

/** `model`: the model that writes the message. Its thinking is stored under this name. */
export function createBlockReader(model: string): BlockReader {
  const blocks = new Map<number, OpenBlock>();
  const thoughts: JsonObject[] = [];
  let calls = 0;
  /** Characters of text received so far. */
  let textLength = 0;

  function blockStart(event: JsonObject): ProviderEvent[] {
    const content = asObject(event.content_block);
    const type = asText(content.type) ?? '';
    const isCall = type === 'tool_use';
    const input = isCall && Object.keys(asObject(content.input)).length ? JSON.stringify(content.input) : '';
    const index = asCount(event.index) ?? 0;
    const id = blockId({ model, callsBefore: calls, block: index });
    const block = {
      type,
      call: isCall ? calls : -1,
      input,
      thinking: '',
      signature: '',
      id,
      from: textLength,
      sources: [],
    };
    blocks.set(index, block);
    if (type === 'redacted_thinking') {
      thoughts.push(content);
      return [signed({ type: 'reasoning.encrypted', data: content.data, id, format: anthropicFormat, index })];
    }
    if (type === 'text') {
      for (const citation of asArray(content.citations)) cite(blocks.get(index), asObject(citation));
      return addText(content.text);
    }
    if (type === 'server_tool_use' && content.name === 'web_search') return [{ type: 'search' }];
    return isCall ? [startCall(content)] : [];
  }

  /** Each call carries the thinking that came before it, even if the model thinks again between two calls. */
  function startCall(content: JsonObject): ProviderEvent {
    const extra = thoughts.length > 0 ? { extraContent: withThinking(thoughts.splice(0), model) } : {};
    const event: ProviderEvent = {
      type: 'tool-call-start',
      index: calls,
      id: asText(content.id) ?? '',
      name: asText(content.name) ?? '',
      ...extra,
    };
    calls += 1;
    return event;
  }

  function blockDelta(event: JsonObject): ProviderEvent[] {
    const block = blocks.get(asCount(event.index) ?? 0);
    const delta = asObject(event.delta);
    switch (delta.type) {
      case 'text_delta':
        return addText(delta.text);
      case 'citations_delta':
        cite(block, asObject(delta.citation));
        return [];
      case 'thinking_delta':
        return block ? thinkingDelta(block, asCount(event.index) ?? 0, asText(delta.thinking) ?? '') : [];
      case 'signature_delta':
        if (block) block.signature += asText(delta.signature) ?? '';
        return [];
      case 'input_json_delta':
        return block ? argumentsDelta(block, asText(delta.partial_json) ?? '') : [];
      default:
        return [];
    }
  }

  function addText(value: unknown): ProviderEvent[] {
    const events = textEvent(value);
    if (typeof value === 'string') textLength += value.length;
    return events;
  }

  function thinkingDelta(block: OpenBlock, index: number, text: string): ProviderEvent[] {
    block.thinking += text;
    if (text === '') return [];
    const detail = { type: 'reasoning.text', text, id: block.id, format: anthropicFormat, index };
    return [{ type: 'reasoning-delta', text, details: [detail] }];
  }

  function argumentsDelta(block: OpenBlock, text: string): ProviderEvent[] {
    if (text === '' || block.call < 0) return [];
    block.input = started;
    return [{ type: 'tool-call-delta', index: block.call, arguments: text }];
  }

  /** Closes a block. A call without arguments gets `{}`, because clients parse the arguments as JSON. */
  function blockStop(event: JsonObject): ProviderEvent[] {
    const block = blocks.get(asCount(event.index) ?? 0);
    if (block?.type === 'thinking' && block.signature) {
      const { id, thinking, signature } = block;
      thoughts.push({ type: 'thinking', thinking, signature });
      const index = asCount(event.index) ?? 0;
      return [signed({ type: 'reasoning.text', text: '', signature, id, format: anthropicFormat, index })];
    }
    if (block && block.sources.length > 0) return [citations(block.sources, block.from, textLength)];
    if (!block || block.call < 0 || block.input === started) return [];
    return [{ type: 'tool-call-delta', index: block.call, arguments: block.input || '{}' }];
  }

  function wholeBlock(block: JsonObject, index: number): ProviderEvent[] {
    const begun = blockStart({ index, content_block: block });
    if (block.type !== 'thinking') return [...begun, ...blockStop({ index })];
    return [
      ...begun,
      ...blockDelta({ index, delta: { type: 'thinking_delta', thinking: block.thinking } }),
      ...blockDelta({ index, delta: { type: 'signature_delta', signature: block.signature } }),
      ...blockStop({ index }),
    ];
  }

  return { start: blockStart, delta: blockDelta, stop: blockStop, whole: wholeBlock };
}

/** Value of `input` for a block whose arguments came as deltas. */
const started = '\u0000';

/** Keeps only citations of web pages. Anthropic has other kinds too, such as a place in a document. */
function cite(block: OpenBlock | undefined, { type, url, title }: JsonObject): void {
  if (type === 'web_search_result_location') block?.sources.push({ url, title });
}

function textEvent(value: unknown): ProviderEvent[] {
  return typeof value === 'string' && value !== '' ? [{ type: 'text-delta', text: value }] : [];
}

const signed = (detail: ReasoningDetail): ProviderEvent => ({ type: 'reasoning-delta', text: '', details: [detail] });

const provider = 'anthropic';

/** Reads one message, from the events of its stream or from a non-streaming answer. */
export class MessageReader {
  /** True once `message_stop` was read, which is the only sign that a streamed message is complete. */
  done = false;
  readonly #blocks: BlockReader;
  #usage: JsonObject = {};
  #reason: FinishReason = 'stop';

  constructor(model: string) {
    this.#blocks = createBlockReader(model);
  }

  read(data: string): ProviderEvent[] {
    if (this.done) return [];
    const event = parseEvent(data, provider);
    switch (event.type) {
      case 'message_start':
        return this.#begin(asObject(event.message));
      case 'content_block_start':
        return this.#blocks.start(event);
      case 'content_block_delta':
        return this.#blocks.delta(event);
      case 'content_block_stop':
        return this.#blocks.stop(event);
      case 'message_delta':
        this.#reason = finishReason(asText(asObject(event.delta).stop_reason)) ?? this.#reason;
        return event.usage ? this.#count(event.usage) : [];
      case 'message_stop':
        this.done = true;
        return [{ type: 'finish', reason: this.#reason }];
      case 'error':
        throw upstreamError(readFault(event, provider, null));
      default:
        return [];
    }
  }

  readWhole(message: JsonObject): ProviderEvent[] {
    if (message.type === 'error') throw upstreamError(readFault(message, provider, null));
    const reason = finishReason(asText(message.stop_reason));
    return [
      ...this.#begin(message),
      ...asArray(message.content).flatMap((block, index) => this.#blocks.whole(asObject(block), index)),
      ...(reason === null ? [] : [{ type: 'finish' as const, reason }]),
    ];
  }

  #begin({ usage }: JsonObject): ProviderEvent[] {
    return [{ type: 'start' }, ...this.#count(usage)];
  }

  /**
   * Ignores a usage report in which one of the counts isn't a number. Otherwise that count would be charged as zero.
   */
  #count(update: unknown): ProviderEvent[] {
    if (!hasCountsOnly(asObject(update), counts)) return [];
    this.#usage = { ...this.#usage, ...withoutNulls(asObject(update)) };
    return [{ type: 'usage', usage: countedUsage(this.#usage) }];
  }
}

const counts = ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'];

const withoutNulls = (value: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([, count]) => count !== null));

/**
 * Anthropic's `input_tokens` doesn't include tokens that were read from or written to the cache (wire contract §1.7).
 */
function countedUsage(usage: JsonObject): TokenUsage {
  const cachedTokens = asCount(usage.cache_read_input_tokens) ?? 0;
  const cacheWriteTokens = asCount(usage.cache_creation_input_tokens) ?? 0;
  const forAnHour = asCount(asObject(usage.cache_creation).ephemeral_1h_input_tokens);
  const searches = asCount(asObject(usage.server_tool_use).web_search_requests);
  return {
    promptTokens: (asCount(usage.input_tokens) ?? 0) + cachedTokens + cacheWriteTokens,
    completionTokens: asCount(usage.output_tokens) ?? 0,
    cachedTokens,
    cacheWriteTokens,
    reasoningTokens: asCount(asObject(usage.output_tokens_details).thinking_tokens) ?? 0,
    ...(forAnHour ? { cacheWriteHourTokens: forAnHour } : {}),
    ...(searches ? { searches } : {}),
  };
}

function finishReason(stopReason: string | null): FinishReason | null {
  switch (stopReason) {
    case null:
      return null;
    case 'max_tokens':
    case 'model_context_window_exceeded':
    // The model searched for so long that Anthropic paused its turn. The client can continue it.
    case 'pause_turn':
      return 'length';
    case 'tool_use':
      return 'tool_calls';
    case 'refusal':
      return 'content_filter';
    default:
      return 'stop';
  }
}

const id = 'anthropic';
const apiVersion = '2023-06-01';
/**
 * Anthropic's own SDKs refuse to wait for a non-streaming answer that may take longer than ten minutes, at 128,000
 * tokens an hour (`calculateNonstreamingTimeout` in anthropic-sdk-typescript, read 2026-11-22).
 */
const maxNonStreamingTokens = Math.floor(128_000 / 6);

/** Anthropic's Messages API. Its base URL has no path: `/v1/…` is added here. */
export function createAnthropic(): Provider {
  return {
    id,
    name: 'Anthropic',
    needsMaxTokens: true,
    signsReasoning: true,
    fetchesImages: true,
    maxNonStreamingTokens,
    async chat(request, context, take) {
      const body = await upstreamBody(request, { kind: 'messages' });
      const call = callFor(context, '/v1/messages');
      const headers = { ...call.headers, ...bindingHeaders(request) };
      const response = await upstreamFetch({ ...call, headers, body });
      await answerEvents(response, id, new MessageReader(request.model), context, take);
    },
    async models(context) {
      const response = await upstreamFetch(callFor(context, '/v1/models?limit=1000'));
      return asArray(asObject(await readJson(response, id)).data).flatMap(listed);
    },
  };
}

function callFor({ credential, fetch, signal }: ProviderContext, path: string) {
  const key = credential.apiKey ? { 'x-api-key': credential.apiKey.reveal() } : {};
  return {
    provider: id,
    url: `${credential.baseUrl.replace(/\/+$/, '')}${path}`,
    headers: { ...key, 'anthropic-version': apiVersion },
    fetch,
    signal,
  };
}

function listed(value: unknown): ListedModel[] {
  const entry = asObject(value);
  const model = asText(entry.id);
  if (!model) return [];
  const createdMs = Date.parse(asText(entry.created_at) ?? '');
  const capabilities = asObject(entry.capabilities);
  return [
    {
      model,
      name: asText(entry.display_name),
      created: Number.isFinite(createdMs) ? Math.floor(createdMs / 1_000) : null,
      contextLength: positive(entry.max_input_tokens),
      maxOutputTokens: positive(entry.max_tokens),
      inputs: getInputs(capabilities),
      efforts: getEfforts(asObject(capabilities.effort)),
    },
  ];
}

/** Anthropic writes 0 for a limit that it doesn't know. */
const positive = (value: unknown): number | null => asCount(value) || null;

const isSupported = (value: unknown): boolean | null => {
  const { supported } = asObject(value);
  return typeof supported === 'boolean' ? supported : null;
};

function getInputs(capabilities: JsonObject): string[] | null {
  const [sees, reads] = [isSupported(capabilities.image_input), isSupported(capabilities.pdf_input)];
  if (sees === null && reads === null) return null;
  return ['text', ...(sees ? ['image'] : []), ...(reads ? ['file'] : [])];
}

function getEfforts(effort: JsonObject): Effort[] | null {
  if (isSupported(effort) !== true) return null;
  const levels = effortOrder.filter((level) => isSupported(effort[level]) === true);
  return levels.length > 0 ? levels : null;
}
