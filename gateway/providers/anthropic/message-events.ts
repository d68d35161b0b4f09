import type { TokenUsage } from '#shared/price.ts';
import type { FinishReason } from '#shared/wire/chat-response.ts';
import { asCount, asObject, asText, hasCountsOnly, type JsonObject, parseEvent } from '../../json/json-value.ts';
import { readFault, upstreamError } from '../../upstream/upstream-error.ts';
import type { ProviderEvent } from '../provider.ts';
import { createBlockReader } from './content-blocks.ts';

/** Reads the events of one streamed message. */
export interface MessageReader {
  read(data: string): ProviderEvent[];
  /** `message_stop` was read: the only sign that the message is complete. */
  readonly done: boolean;
}

const provider = 'anthropic';

export function createMessageReader(model: string): MessageReader {
  const blocks = createBlockReader(model);
  let usage: JsonObject = {};
  let done = false;
  let reason: FinishReason = 'stop';

  /** What is no count makes the whole report worthless: the rest of it would be charged as if that were nothing. */
  function usageEvent(update: unknown): ProviderEvent[] {
    if (!hasCountsOnly(asObject(update), counts)) return [];
    usage = { ...usage, ...withoutNulls(asObject(update)) };
    return [{ type: 'usage', usage: countedUsage(usage) }];
  }

  return {
    read(data) {
      if (done) return [];
      const event = parseEvent(data, provider);
      switch (event.type) {
        case 'message_start':
          return [{ type: 'start' }, ...usageEvent(asObject(event.message).usage)];
        case 'content_block_start':
          return blocks.start(event);
        case 'content_block_delta':
          return blocks.delta(event);
        case 'content_block_stop':
          return blocks.stop(event);
        case 'message_delta':
          reason = finishReason(asText(asObject(event.delta).stop_reason)) ?? reason;
          return event.usage ? usageEvent(event.usage) : [];
        case 'message_stop':
          done = true;
          return [{ type: 'finish', reason }];
        case 'error':
          throw upstreamError(readFault(event, provider, null));
        default:
          return [];
      }
    },
    get done() {
      return done;
    },
  };
}

const counts = ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'];

const withoutNulls = (value: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([, count]) => count !== null));

/** Anthropic's `input_tokens` leaves out what was read from and written to the cache (wire contract §1.7). */
function countedUsage(usage: JsonObject): TokenUsage {
  const cachedTokens = asCount(usage.cache_read_input_tokens) ?? 0;
  const cacheWriteTokens = asCount(usage.cache_creation_input_tokens) ?? 0;
  const forAnHour = asCount(asObject(usage.cache_creation).ephemeral_1h_input_tokens);
  return {
    promptTokens: (asCount(usage.input_tokens) ?? 0) + cachedTokens + cacheWriteTokens,
    completionTokens: asCount(usage.output_tokens) ?? 0,
    cachedTokens,
    cacheWriteTokens,
    reasoningTokens: asCount(asObject(usage.output_tokens_details).thinking_tokens) ?? 0,
    ...(forAnHour ? { cacheWriteHourTokens: forAnHour } : {}),
  };
}

function finishReason(stopReason: string | null): FinishReason | null {
  switch (stopReason) {
    case null:
      return null;
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length';
    case 'tool_use':
      return 'tool_calls';
    case 'refusal':
      return 'content_filter';
    default:
      return 'stop';
  }
}
