import type { CatalogueModel } from '../catalogue/catalogue.ts';
import { type BoundedInput, type InputBound, inputBound, mostInputTokens } from '../content/input-bound.ts';
import { mostSearches, type Reserve } from './reserve.ts';

/** What of an upstream's own count can be true. */
export interface UsageLimits {
  /** More than any honest upstream counts for this request. Costs a pass over the request: asked where the hold is exceeded. */
  most(): { readonly inputTokens: number; readonly outputTokens: number; readonly searches: number };
  /** How much output the money that was set aside covers by now. */
  heldOutput(): number;
}

/** The parts of a question that bound what may be counted for it. */
interface BoundedQuestion extends BoundedInput {
  readonly facts: { readonly features: { readonly webSearch: boolean } };
  readonly packed: { readonly inputBound: InputBound } | null;
  readonly maxTokens: number | null;
  readonly principal: { readonly plan: { readonly maxOutputTokens: number | null } };
}

/** Of one search, where nobody knows how much the model holds: it is read with all that was found before. */
const mostFound = 200_000;
/** Where neither the caller, the plan nor the catalogue says how long an answer may be. */
const unboundedAnswer = 1_000_000;

/** What a model may count for a question (docs/decisions/027). `askedTokens`: the longest answer that it is asked for. */
export function usageLimits(
  question: BoundedQuestion,
  model: CatalogueModel,
  reserve: Reserve,
  askedTokens: number,
): UsageLimits {
  let inputTokens: number | null = null;
  const searches = mostSearches(model, question.facts.features.webSearch);
  return {
    heldOutput: () => reserve.coveredTokens,
    most() {
      inputTokens ??=
        mostInputTokens(question.packed?.inputBound ?? inputBound(question), model.contextLength) +
        searches * (model.contextLength ?? mostFound);
      return {
        inputTokens,
        searches,
        outputTokens: Math.max(reserve.coveredTokens, askedTokens, longestAnswerOf(question, model)),
      };
    },
  };
}

const longestAnswerOf = ({ maxTokens, principal }: BoundedQuestion, model: CatalogueModel): number =>
  maxTokens ??
  Math.min(
    model.maxOutputTokens ?? model.contextLength ?? unboundedAnswer,
    principal.plan.maxOutputTokens ?? Number.POSITIVE_INFINITY,
  );
