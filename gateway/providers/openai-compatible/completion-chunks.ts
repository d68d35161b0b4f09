import { ulid } from 'ulid';
import type { TokenUsage } from '#shared/price.ts';
import type { FinishReason } from '#shared/wire/chat-response.ts';
import { asArray, asCount, asObject, asText, type JsonObject, parseEvent } from '../../lib/json-value.ts';
import { readFault, upstreamError } from '../../lib/upstream-error.ts';
import type { ProviderEvent } from '../provider.ts';

/** Reads the `data:` payloads of one streamed completion. */
export interface ChunkReader {
  read(data: string): ProviderEvent[];
  /** What is left to say at the end: the finish, only where the server said that it was complete. */
  end(): ProviderEvent[];
  /** `[DONE]` was read: nothing that follows counts. */
  readonly done: boolean;
}

export function createChunkReader(provider: string): ChunkReader {
  const calls = new Set<number>();
  let started = false;
  let done = false;
  let finish: FinishReason | null = null;

  function begin(): ProviderEvent[] {
    if (started) return [];
    started = true;
    return [{ type: 'start' }];
  }

  function callEvents(value: unknown, position: number): ProviderEvent[] {
    const call = asObject(value);
    const fn = asObject(call.function);
    const index = asCount(call.index) ?? position;
    const events: ProviderEvent[] = [];
    if (!calls.has(index)) {
      calls.add(index);
      const extra = call.extra_content;
      events.push({
        type: 'tool-call-start',
        index,
        id: asText(call.id) || `call_${ulid()}`,
        name: asText(fn.name) ?? '',
        ...(extra ? { extraContent: asObject(extra) } : {}),
      });
    }
    const text = asText(fn.arguments);
    if (text) events.push({ type: 'tool-call-delta', index, arguments: text });
    return events;
  }

  function choiceEvents(choice: JsonObject): ProviderEvent[] {
    const delta = asObject(choice.delta);
    const reason = asText(choice.finish_reason);
    if (reason) finish = finishReason(reason, calls.size > 0 || asArray(delta.tool_calls).length > 0);
    return [
      ...textEvent('reasoning-delta', delta.reasoning_content ?? delta.reasoning),
      ...textEvent('text-delta', delta.content),
      ...textEvent('refusal-delta', delta.refusal),
      ...asArray(delta.tool_calls).flatMap(callEvents),
    ];
  }

  return {
    read(data) {
      if (done) return [];
      if (data === '[DONE]') {
        done = true;
        finish ??= calls.size > 0 ? 'tool_calls' : 'stop';
        return begin();
      }
      const chunk = parseEvent(data, provider);
      if (chunk.error) throw upstreamError(readFault(chunk, provider, null));
      const choice = asArray(chunk.choices)[0];
      return [...begin(), ...(choice ? choiceEvents(asObject(choice)) : []), ...usageEvent(chunk.usage)];
    },
    end: () => (finish ? [{ type: 'finish', reason: finish }] : []),
    get done() {
      return done;
    },
  };
}

function textEvent(type: 'text-delta' | 'reasoning-delta' | 'refusal-delta', value: unknown): ProviderEvent[] {
  return typeof value === 'string' && value !== '' ? [{ type, text: value }] : [];
}

function finishReason(reason: string, hasCalls: boolean): FinishReason {
  if (reason === 'length' || reason === 'content_filter' || reason === 'tool_calls') return reason;
  return reason === 'function_call' || hasCalls ? 'tool_calls' : 'stop';
}

function usageEvent(value: unknown): ProviderEvent[] {
  const usage = asObject(value);
  const promptTokens = asCount(usage.prompt_tokens);
  const completionTokens = asCount(usage.completion_tokens);
  if (promptTokens === null || completionTokens === null) return [];
  const counted: TokenUsage = {
    promptTokens,
    completionTokens,
    cachedTokens: Math.min(promptTokens, asCount(asObject(usage.prompt_tokens_details).cached_tokens) ?? 0),
    cacheWriteTokens: 0,
    reasoningTokens: asCount(asObject(usage.completion_tokens_details).reasoning_tokens) ?? 0,
  };
  return [{ type: 'usage', usage: counted }];
}
