import type { TokenUsage } from '#shared/price.ts';
import type { FinishReason } from '#shared/wire/chat-response.ts';
import { asCount, asObject, asText, type JsonObject, parseEvent } from '../../lib/json-value.ts';
import { readFault, upstreamError } from '../../lib/upstream-error.ts';
import type { ProviderEvent } from '../provider.ts';
import { withThinking } from './thinking-state.ts';

/** Reads the events of one streamed message. */
export interface MessageReader {
  read(data: string): ProviderEvent[];
  /** `message_stop` was read: the only sign that the message is complete. */
  readonly done: boolean;
}

interface OpenBlock {
  readonly type: string;
  /** Place among the tool calls. */
  readonly call: number;
  /** Arguments that came with the block's start, for blocks without deltas. */
  input: string;
  thinking: string;
  signature: string;
}

const provider = 'anthropic';

export function createMessageReader(): MessageReader {
  const blocks = new Map<number, OpenBlock>();
  const thoughts: JsonObject[] = [];
  let usage: JsonObject = {};
  let calls = 0;
  let done = false;
  let reason: FinishReason = 'stop';

  function usageEvent(update: unknown): ProviderEvent[] {
    usage = { ...usage, ...withoutNulls(asObject(update)) };
    return [{ type: 'usage', usage: countedUsage(usage) }];
  }

  function blockStart(event: JsonObject): ProviderEvent[] {
    const content = asObject(event.content_block);
    const type = asText(content.type) ?? '';
    const isCall = type === 'tool_use';
    const input = isCall && Object.keys(asObject(content.input)).length ? JSON.stringify(content.input) : '';
    const block = { type, call: isCall ? calls : -1, input, thinking: '', signature: '' };
    blocks.set(asCount(event.index) ?? 0, block);
    if (type === 'redacted_thinking') thoughts.push(content);
    if (type === 'text') return textEvent('text-delta', content.text);
    return isCall ? [startCall(content)] : [];
  }

  /** The first call carries the thinking that led to it. */
  function startCall(content: JsonObject): ProviderEvent {
    const extra = calls === 0 && thoughts.length ? { extraContent: withThinking([...thoughts]) } : {};
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
        return textEvent('text-delta', delta.text);
      case 'thinking_delta':
        if (block) block.thinking += asText(delta.thinking) ?? '';
        return textEvent('reasoning-delta', delta.thinking);
      case 'signature_delta':
        if (block) block.signature += asText(delta.signature) ?? '';
        return [];
      case 'input_json_delta':
        return block ? argumentsDelta(block, asText(delta.partial_json) ?? '') : [];
      default:
        return [];
    }
  }

  function argumentsDelta(block: OpenBlock, text: string): ProviderEvent[] {
    if (text === '') return [];
    block.input = started;
    return [{ type: 'tool-call-delta', index: block.call, arguments: text }];
  }

  /** A call without arguments still needs an object: `{}`. */
  function blockStop(event: JsonObject): ProviderEvent[] {
    const block = blocks.get(asCount(event.index) ?? 0);
    if (block?.type === 'thinking' && block.signature) {
      thoughts.push({ type: 'thinking', thinking: block.thinking, signature: block.signature });
    }
    if (!block || block.call < 0 || block.input === started) return [];
    return [{ type: 'tool-call-delta', index: block.call, arguments: block.input || '{}' }];
  }

  return {
    read(data) {
      if (done) return [];
      const event = parseEvent(data, provider);
      switch (event.type) {
        case 'message_start':
          return [{ type: 'start' }, ...usageEvent(asObject(event.message).usage)];
        case 'content_block_start':
          return blockStart(event);
        case 'content_block_delta':
          return blockDelta(event);
        case 'content_block_stop':
          return blockStop(event);
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

/** Marks a block whose arguments came as deltas. */
const started = '\u0000';

const withoutNulls = (value: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([, count]) => count !== null));

function textEvent(type: 'text-delta' | 'reasoning-delta', value: unknown): ProviderEvent[] {
  return typeof value === 'string' && value !== '' ? [{ type, text: value }] : [];
}

/** Anthropic's `input_tokens` leaves out what was read from and written to the cache (wire contract §1.7). */
function countedUsage(usage: JsonObject): TokenUsage {
  const cachedTokens = asCount(usage.cache_read_input_tokens) ?? 0;
  const cacheWriteTokens = asCount(usage.cache_creation_input_tokens) ?? 0;
  return {
    promptTokens: (asCount(usage.input_tokens) ?? 0) + cachedTokens + cacheWriteTokens,
    completionTokens: asCount(usage.output_tokens) ?? 0,
    cachedTokens,
    cacheWriteTokens,
    reasoningTokens: asCount(asObject(usage.output_tokens_details).thinking_tokens) ?? 0,
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
