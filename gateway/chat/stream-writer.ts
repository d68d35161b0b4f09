import type { AppError } from '#shared/errors.ts';
import type { AnswerPart } from '../engine/answer.ts';

export type FinishPart = Extract<AnswerPart, { type: 'finish' }>;
export type DeltaPart = Exclude<AnswerPart, { type: 'finish' | 'route' }>;
export type RoutePart = Extract<AnswerPart, { type: 'route' }>;

/** How one of the two chat forms says an answer: as a stream's events, of each part none or more. */
export interface StreamWriter {
  /** Events before the first delta. */
  opening(route: RoutePart): string;
  delta(part: DeltaPart): string;
  closing(finish: FinishPart): string;
  /** The one bare error event (wire contract §0.2). */
  failure(error: AppError): string;
}

/** One event, with this as its data. */
export const eventOf = (data: string): string => `data: ${data}\n\n`;
