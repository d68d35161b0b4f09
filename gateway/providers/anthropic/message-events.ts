import { asArray, asCount, asObject, asText, hasCountsOnly, type JsonObject } from '#shared/json/foreign-json.ts';
import type { TokenUsage } from '#shared/price.ts';
import type { FinishReason } from '#shared/wire/chat-response.ts';
import { parseEvent } from '../../runtime/json/parse-json.ts';
import type { ProviderEvent } from '../provider.ts';
import { readFault, upstreamError } from '../upstream/upstream-error.ts';
import { type BlockReader, createBlockReader } from './content-blocks.ts';

/** Reads one message, in the events of its stream or whole. */
interface MessageReader {
  read(data: string): ProviderEvent[];
  readWhole(message: JsonObject): ProviderEvent[];
  /** `message_stop` was read: the only sign that a streamed message is complete. */
  readonly done: boolean;
}

const provider = 'anthropic';

export const createMessageReader = (model: string): MessageReader => new MessageEvents(model);

class MessageEvents implements MessageReader {
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

  /** What is no count makes the whole report worthless: the rest of it would be charged as if that were nothing. */
  #count(update: unknown): ProviderEvent[] {
    if (!hasCountsOnly(asObject(update), counts)) return [];
    this.#usage = { ...this.#usage, ...withoutNulls(asObject(update)) };
    return [{ type: 'usage', usage: countedUsage(this.#usage) }];
  }
}

const counts = ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'];

const withoutNulls = (value: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([, count]) => count !== null));

/** Anthropic's `input_tokens` leaves out what was read from and written to the cache (wire contract §1.7). */
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
    // It searched for so long that its turn was broken off: it can be gone on with.
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
