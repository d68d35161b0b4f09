import type { AppError } from '#shared/errors.ts';
import type { Warning } from '#shared/wire/chat-response.ts';
import type { AnswerPart } from '../../engine/answer.ts';

export type FinishPart = Extract<AnswerPart, { type: 'finish' }>;
export type DeltaPart = Exclude<AnswerPart, { type: 'finish' | 'route' }>;
export type RoutePart = Extract<AnswerPart, { type: 'route' }>;

/** Writes an answer as a stream's events in the format of one API. A part may become no event or several. */
export interface StreamWriter {
  /** Events before the first delta. */
  opening(route: RoutePart): string;
  delta(part: DeltaPart): string;
  closing(finish: FinishPart): string;
  /** Work that begins with the closing event and must be done before that is sent. */
  readonly kept?: () => Promise<void> | undefined;
  /** The end of a stream that failed: in OpenAI's chats the single error event (wire contract §0.2). */
  failure(error: AppError): string;
  /** Sent after a long silence; a comment when it is absent. */
  readonly keepAlive?: string;
}

/** Ends a complete stream of OpenAI's chats, and is never sent otherwise (wire contract §0.2). */
export const doneEvent = 'data: [DONE]\n\n';

/** One event with this data. */
export const getEvent = (data: string): string => `data: ${data}\n\n`;

export interface StreamTimes {
  /** How long the status line waits for the upstream's first part. */
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

/** Writes the events of these parts. */
export function eventsFor(parts: readonly AnswerPart[], writer: StreamWriter): string {
  let text = '';
  for (const part of parts) {
    if (part.type === 'route') text += writer.opening(part);
    else if (part.type === 'finish') text += writer.closing(part);
    else text += writer.delta(part);
  }
  return text;
}

export const jsonType = 'application/json; charset=utf-8';

const maxHeader = 2_000;

/** Header values must be visible ASCII, and a local server's model may have any name. */
const headerText = (text: string) =>
  text.replace(/[^\x20-\x7e]+/g, (part) => encodeURIComponent(part.toWellFormed())).slice(0, maxHeader);

/** The headers with the model that answered and why (wire contract §5.6). None when the headers had to go out before that was known. */
export function routeHeaders(route: RoutePart | null): Record<string, string> {
  if (!route) return {};
  return {
    'x-portico-provider': headerText(route.provider),
    'x-portico-model': headerText(route.model),
    'x-portico-attempts': String(route.attempts),
    'x-portico-route': headerText(route.summary),
  };
}

/** `x-portico-warnings: unknown_parameter=max_token` (wire contract §1.0). */
export function warningHeaders(warnings: readonly Warning[]): Record<string, string> {
  if (!warnings.length) return {};
  const items = warnings.map(({ code, param }) => (param === null ? code : `${code}=${param}`));
  return { 'x-portico-warnings': headerText(items.join(', ')) };
}
