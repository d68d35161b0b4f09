import type { Warning } from '#shared/wire/chat-response.ts';
import type { AnswerPart } from '../../engine/answer.ts';
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

export const eventStreamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** What a stream's answer says before its first event (wire contract §1.2, §5.6). */
export const getHeaders = (route: RoutePart | null, warnings: readonly Warning[]): Record<string, string> => ({
  ...eventStreamHeaders,
  ...routeHeaders(route),
  ...warningHeaders(warnings),
});

/** The text of these parts' events. */
export function eventsFor(parts: readonly AnswerPart[], writer: StreamWriter): string {
  let text = '';
  for (const part of parts) {
    if (part.type === 'route') text += writer.opening(part);
    else if (part.type === 'finish') text += writer.closing(part);
    else text += writer.delta(part);
  }
  return text;
}
