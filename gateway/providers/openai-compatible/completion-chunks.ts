import { ulid } from 'ulid';
import { AppError } from '#shared/errors.ts';
import type { FinishReason } from '#shared/wire/chat-response.ts';
import { detailsIn } from '../../content/reasoning-details.ts';
import { asArray, asCount, asObject, asText, type JsonObject, parseEvent } from '../../json/json-value.ts';
import { readFault, upstreamError } from '../../upstream/upstream-error.ts';
import type { ProviderEvent, Served } from '../provider.ts';
import { type ChunkTemplate, contentIn, templateOf } from './chunk-template.ts';
import { servedBy } from './completion-served.ts';
import { usageEvent } from './completion-usage.ts';

/** Reads the `data:` payloads of one streamed completion. */
export interface ChunkReader {
  read(data: string): ProviderEvent[];
  /** Reads a completion that came in one piece. */
  readWhole(completion: JsonObject): ProviderEvent[];
  /** What is left to say at the end: the finish, only where the server said that it was complete. */
  end(): ProviderEvent[];
  /** `[DONE]` was read: nothing that follows counts. */
  readonly done: boolean;
}

export const createChunkReader = (provider: string): ChunkReader => new CompletionChunkReader(provider);

class CompletionChunkReader implements ChunkReader {
  done = false;
  readonly #provider: string;
  readonly #calls = new Set<number>();
  readonly #details: unknown[] = [];
  #started = false;
  #finish: FinishReason | null = null;
  #served: Served | null = null;
  #template: ChunkTemplate | null = null;

  constructor(provider: string) {
    this.#provider = provider;
  }

  read(data: string): ProviderEvent[] {
    if (this.done) return [];
    if (data === '[DONE]') {
      this.done = true;
      this.#finish ??= this.#calls.size > 0 ? 'tool_calls' : 'stop';
      return this.#begin();
    }
    const text = this.#template && contentIn(data, this.#template);
    if (text) return [{ type: 'text-delta', text }];
    const chunk = parseEvent(data, this.#provider);
    const events = this.#hear(chunk);
    this.#template ??= templateOf(data, chunk, events);
    return events;
  }

  readWhole(completion: JsonObject): ProviderEvent[] {
    return [...this.#hear(completion), ...this.end()];
  }

  end(): ProviderEvent[] {
    const told = this.#served ? { served: this.#served } : {};
    return this.#finish ? [{ type: 'finish', reason: this.#finish, ...told }] : [];
  }

  #begin(): ProviderEvent[] {
    if (this.#started) return [];
    this.#started = true;
    return [{ type: 'start' }];
  }

  #hear(chunk: JsonObject): ProviderEvent[] {
    if (chunk.error) throw upstreamError(readFault(chunk, this.#provider, null));
    this.#served = servedBy(chunk, this.#served);
    const choice = asArray(chunk.choices)[0];
    const events = this.#begin();
    if (choice) this.#hearChoice(asObject(choice), events);
    if (chunk.usage || chunk.x_groq) events.push(...usageEvent(chunk));
    return events;
  }

  /** Adds what a choice says: to one list, since a chunk is nearly always one piece of text. */
  #hearChoice(choice: JsonObject, events: ProviderEvent[]): void {
    const delta = asObject(choice.delta ?? choice.message);
    const reason = asText(choice.finish_reason);
    const hasCalls = this.#calls.size > 0 || asArray(delta.tool_calls).length > 0;
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
    for (const [position, call] of asArray(delta.tool_calls).entries())
      this.#hearCall(asObject(call), position, events);
  }

  #hearCall(call: JsonObject, position: number, events: ProviderEvent[]): void {
    const fn = asObject(call.function);
    const index = asCount(call.index) ?? position;
    if (!this.#calls.has(index)) {
      this.#calls.add(index);
      const extra = this.#extraContent(call.extra_content);
      events.push({
        type: 'tool-call-start',
        index,
        id: asText(call.id) || `call_${ulid()}`,
        name: asText(fn.name) ?? '',
        ...(extra ? { extraContent: extra } : {}),
      });
    }
    const text = asText(fn.arguments);
    if (text) events.push({ type: 'tool-call-delta', index, arguments: text });
  }

  /** OpenRouter's opaque thinking rides on the first call that comes after it, and comes back with that. */
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

/** Text with its log probabilities where they were asked for; or Mistral's list of text and thinking. */
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
