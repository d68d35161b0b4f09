import type { AppError } from '#shared/errors.ts';
import type { AnswerPart } from '../../engine/answer.ts';

export type FinishPart = Extract<AnswerPart, { type: 'finish' }>;
export type DeltaPart = Exclude<AnswerPart, { type: 'finish' | 'route' }>;
export type RoutePart = Extract<AnswerPart, { type: 'route' }>;

/** How a chat form says an answer: as a stream's events, of each part none or more. */
export interface StreamWriter {
  /** Events before the first delta. */
  opening(route: RoutePart): string;
  delta(part: DeltaPart): string;
  closing(finish: FinishPart): string;
  /** What was begun with the closing and must be done before that is sent. */
  readonly kept?: () => Promise<void> | undefined;
  /** What ends a stream that failed: in OpenAI's chats the one bare error event (wire contract §0.2). */
  failure(error: AppError): string;
  /** What is sent where there is silence for too long; a comment unless it is said. */
  readonly keepAlive?: string;
}

/** What ends a whole stream of OpenAI's chats, and nothing else ever (wire contract §0.2). */
export const doneEvent = 'data: [DONE]\n\n';

/** One event, with this as its data. */
export const getEvent = (data: string): string => `data: ${data}\n\n`;
