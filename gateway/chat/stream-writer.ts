import type { AppError } from '#shared/errors.ts';
import type { AnswerPart } from '../engine/answer.ts';

export type FinishPart = Extract<AnswerPart, { type: 'finish' }>;
export type DeltaPart = Exclude<AnswerPart, { type: 'finish' | 'route' }>;
export type RoutePart = Extract<AnswerPart, { type: 'route' }>;

/** How one of the two chat forms says an answer: as JSON texts, one for each event of a stream. */
export interface StreamWriter {
  /** Events before the first delta. */
  opening(route: RoutePart): readonly string[];
  delta(part: DeltaPart): readonly string[];
  closing(finish: FinishPart): readonly string[];
  /** The one bare error event (wire contract §0.2). */
  failure(error: AppError): string;
}
