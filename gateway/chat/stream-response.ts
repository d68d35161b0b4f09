import type { UnderlyingSource } from 'node:stream/web';
import { AppError, toAppError } from '#shared/errors.ts';
import type { Warning } from '#shared/wire/chat-response.ts';
import type { AnswerPart } from '../engine/answer.ts';
import { routeHeaders, warningHeaders } from './chat-headers.ts';
import type { RoutePart, StreamWriter } from './stream-writer.ts';

export interface StreamTimes {
  /** How long the status line waits for the upstream's first word. */
  readonly holdMs: number;
  /** Silence after which a comment is sent. */
  readonly keepAliveMs: number;
}

/** Wire contract §1.4.1 and §1.4.2. */
export const streamTimes: StreamTimes = { holdMs: 10_000, keepAliveMs: 15_000 };

export const keepAlive = ': keep-alive\n\n';
export const silence: unique symbol = Symbol('silence');

/**
 * Streams an answer as server-sent events. Nothing is sent before the first part, at most `holdMs`: until then a failure
 * is thrown and becomes a real HTTP status. One part is asked for at a time, when the client reads: a client that stops
 * reading stops the upstream, one that leaves aborts it (`parts.return`).
 */
export async function streamResponse(
  parts: AsyncIterableIterator<AnswerPart>,
  writer: StreamWriter,
  warnings: readonly Warning[],
  times: StreamTimes,
): Promise<Response> {
  const pending = parts.next();
  const first = await within(times.holdMs, pending);
  const route = first === silence ? null : routeOf(first);
  const body = new ReadableStream<Uint8Array>(eventSource(parts, pending, route === null, writer, times), {
    highWaterMark: 0,
  });
  return new Response(body, {
    headers: headersOf(route, warnings),
  });
}

export const eventStreamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** What a stream's answer says before its first event (wire contract §1.2, §5.6). */
export const headersOf = (route: RoutePart | null, warnings: readonly Warning[]): Record<string, string> => ({
  ...eventStreamHeaders,
  ...routeHeaders(route),
  ...warningHeaders(warnings),
});

export function routeOf(result: IteratorResult<AnswerPart, unknown>): RoutePart | null {
  return !result.done && result.value.type === 'route' ? result.value : null;
}

type Pending = Promise<IteratorResult<AnswerPart, unknown>>;

function eventSource(
  parts: AsyncIterableIterator<AnswerPart>,
  first: Pending,
  committedEarly: boolean,
  writer: StreamWriter,
  times: StreamTimes,
): UnderlyingSource<Uint8Array> {
  const encoder = new TextEncoder();
  let pending: Pending | null = first;
  let owesComment = committedEarly;
  return {
    async pull(controller) {
      const send = (text: string) => controller.enqueue(encoder.encode(text));
      if (owesComment) {
        owesComment = false;
        return send(keepAlive);
      }
      try {
        pending ??= parts.next();
        const result = await within(times.keepAliveMs, pending);
        if (result === silence) return send(keepAlive);
        pending = null;
        if (result.done) throw new AppError('internal_error', 'The answer ended without its end.');
        send(eventsFor(result.value, writer));
        if (result.value.type === 'finish') controller.close();
      } catch (error) {
        send(`data: ${writer.failure(toAppError(error))}\n\n`);
        controller.close();
      }
    },
    async cancel() {
      await parts.return?.();
    },
  };
}

/** The text of one part's events; the finish is followed by `[DONE]`, which nothing else ever is (§0.2). */
export function eventsFor(part: AnswerPart, writer: StreamWriter): string {
  switch (part.type) {
    case 'route':
      return framed(writer.opening(part));
    case 'finish':
      return `${framed(writer.closing(part))}data: [DONE]\n\n`;
    default:
      return framed(writer.delta(part));
  }
}

function framed(events: readonly string[]): string {
  let text = '';
  for (const event of events) text += `data: ${event}\n\n`;
  return text;
}

/** The promise's value, or `silence` where it does not come in time; the promise goes on. */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T | typeof silence> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<typeof silence>((resolve) => {
    timer = setTimeout(() => resolve(silence), ms);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
