import { setTimeout as delay, setImmediate as nextTick } from 'node:timers/promises';
import { AppError } from '#shared/errors.ts';
import type { TokenUsage } from '#shared/price.ts';
import type { FinishReason } from '#shared/wire/chat-response.ts';
import { platformSignal, type StopSignal } from '../../runtime/concurrency/stop-signal.ts';
import type { Citations } from '../content/citations.ts';
import { tokensOfBytes, tokensPerMadeImage } from '../content/estimate-tokens.ts';
import type { MadeImage } from '../content/made-images.ts';
import type { ProviderEvent } from '../provider.ts';

/** The answer of a sandbox model, decided before its first piece is sent. */
export interface Script {
  readonly reasoning: string;
  readonly text: string;
  readonly toolCall: { readonly id: string; readonly name: string; readonly arguments: string } | null;
  readonly finish: FinishReason;
  /** Aborts the stream after this share of the text, 0–1; null: it's sent to its end. */
  readonly cutAt: number | null;
  /** Number of web searches before the first piece of text. */
  readonly searches?: number;
  /** Tokens of the search results, which the model reads as part of its input. */
  readonly foundTokens?: number;
  readonly citations?: readonly Citations[];
  readonly images?: readonly MadeImage[];
}

export interface Pacing {
  readonly firstTokenMs: number;
  readonly tokensPerSecond: number;
  /** Multiplies every pause; 0 plays without pauses. */
  readonly pace: number;
}

/** Pieces to send between two turns of the event loop when there are no pauses. */
const piecesPerTick = 64;

/** Streams a script as an upstream would: start, deltas at a steady rate, usage, finish. */
export async function* play(
  script: Script,
  promptTokens: number,
  pacing: Pacing,
  signal: StopSignal,
): AsyncGenerator<ProviderEvent> {
  const clock = createClock(pacing, signal);
  await clock.pause(pacing.firstTokenMs);
  yield { type: 'start' };
  for (let count = script.searches ?? 0; count > 0; count -= 1) yield { type: 'search' };
  for (const text of pieces(script.reasoning)) {
    yield { type: 'reasoning-delta', text };
    await clock.tick();
  }
  const cut = script.cutAt === null ? null : Math.floor(script.text.length * script.cutAt);
  for (const text of pieces(cut === null ? script.text : script.text.slice(0, cut))) {
    yield { type: 'text-delta', text };
    await clock.tick();
  }
  if (cut !== null) {
    throw new AppError('upstream_truncated', 'The sandbox broke this answer off on purpose.', { provider: 'sandbox' });
  }
  yield* script.citations ?? [];
  yield* script.images ?? [];
  if (script.toolCall) yield* playToolCall(script.toolCall);
  yield { type: 'usage', usage: getUsage(script, promptTokens) };
  yield { type: 'finish', reason: script.finish };
}

function* playToolCall(call: NonNullable<Script['toolCall']>): Generator<ProviderEvent> {
  yield { type: 'tool-call-start', index: 0, id: call.id, name: call.name };
  for (const text of pieces(call.arguments)) yield { type: 'tool-call-delta', index: 0, arguments: text };
}

function getUsage(script: Script, promptTokens: number): TokenUsage {
  const reasoningTokens = tokensOfBytes(Buffer.byteLength(script.reasoning));
  const call = script.toolCall ? script.toolCall.name + script.toolCall.arguments : '';
  const written = tokensOfBytes(Buffer.byteLength(script.text) + Buffer.byteLength(call));
  const imageTokens = (script.images ?? []).length * tokensPerMadeImage;
  return {
    promptTokens: promptTokens + (script.foundTokens ?? 0),
    completionTokens: written + reasoningTokens + imageTokens,
    reasoningTokens,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    ...(imageTokens > 0 ? { imageTokens } : {}),
    ...(script.searches ? { searches: script.searches } : {}),
  };
}

/**
 * Splits a text into pieces of about a token: a run of spaces with the first few characters of a word, or the next few
 * of a long word.
 */
function* pieces(text: string): Generator<string> {
  for (const [piece] of text.matchAll(/\s*\S{1,5}|\s+/gu)) yield piece;
}

function createClock(pacing: Pacing, stop: StopSignal) {
  const signal = platformSignal(stop);
  const pauseMs = pacing.pace * (1_000 / pacing.tokensPerSecond);
  let played = 0;
  return {
    async pause(ms: number): Promise<void> {
      signal.throwIfAborted();
      if (pacing.pace > 0) await delay(ms * pacing.pace, undefined, { signal });
    },
    async tick(): Promise<void> {
      signal.throwIfAborted();
      played += 1;
      if (pauseMs > 0) await delay(pauseMs, undefined, { signal });
      else if (played % piecesPerTick === 0) await nextTick();
    },
  };
}
