import { AppError, toAppError } from '#shared/errors.ts';
import type { Warning } from '#shared/wire/chat-response.ts';
import type { Sink } from '../concurrency/channel.ts';
import type { Answer, AnswerPart } from '../engine/answer.ts';
import { AnswerResponse, type EventOutlet } from '../http/answer-response.ts';
import { eventsFor, headersOf, keepAlive, routeOf, type StreamTimes, silence, within } from './stream-response.ts';
import type { StreamWriter } from './stream-writer.ts';

/**
 * Streams an answer to a socket: the same events as `streamResponse`, but each part is written by whoever made it, with
 * nothing in between. The status line waits for the first part in the same way.
 */
export async function streamAnswer(
  parts: Answer,
  writer: StreamWriter,
  warnings: readonly Warning[],
  times: StreamTimes,
): Promise<AnswerResponse> {
  const pending = parts.next();
  const first = await within(times.holdMs, pending);
  const route = first === silence ? null : routeOf(first);
  const stream = (outlet: EventOutlet) => {
    const sink = eventSink(outlet, writer, times);
    if (route === null) void outlet.write(keepAlive);
    if (first !== silence) begin(first, parts, sink);
    else pending.then((result) => begin(result, parts, sink), sink.fail);
  };
  return new AnswerResponse({ stream }, headersOf(route, warnings));
}

function begin(first: IteratorResult<AnswerPart, unknown>, parts: Answer, sink: Sink<AnswerPart>): void {
  if (first.done) sink.end();
  else {
    void sink.value(first.value);
    pipe(parts, sink);
  }
}

/** Hands all that is left of an answer to a sink. */
export function pipe(parts: Answer, sink: Sink<AnswerPart>): void {
  if (parts.pipe) parts.pipe(sink);
  else pump(parts, sink).then(sink.end, sink.fail);
}

async function pump(parts: Answer, sink: Sink<AnswerPart>): Promise<void> {
  for await (const part of parts) await sink.value(part);
}

/** Writes parts as events, and a comment wherever there was silence for too long. */
function eventSink(outlet: EventOutlet, writer: StreamWriter, times: StreamTimes): Sink<AnswerPart> {
  const quiet = setInterval(() => void outlet.write(keepAlive), times.keepAliveMs);
  let over = false;
  const close = (text: string) => {
    over = true;
    clearInterval(quiet);
    const full = outlet.write(text);
    outlet.end();
    return full;
  };
  const fail = (error: unknown) => {
    if (!over) void close(`data: ${writer.failure(toAppError(error))}\n\n`);
  };
  return {
    value(part) {
      const text = eventsFor(part, writer);
      if (part.type === 'finish') return close(text);
      quiet.refresh();
      return text === '' ? undefined : outlet.write(text);
    },
    end: () => fail(new AppError('internal_error', 'The answer ended without its end.')),
    fail,
  };
}
