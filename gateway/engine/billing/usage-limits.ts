import type { CatalogueModel } from '../../models/catalogue/catalogue.ts';
import {
  type BoundedInput,
  type InputBound,
  inputBound,
  inputTokenCeiling,
} from '../../providers/content/input-bound.ts';
import { initialHold, maxSearches, type Reserve } from './reserve.ts';

/** What of an upstream's own count can be true, and what of it is paid for. */
export interface UsageLimits {
  /** The longest answer that the upstream was allowed to give, in tokens. */
  readonly outputTokens: number;
  /** The output that is set aside for: the same, unless a vendor wants a larger limit than the caller's. */
  readonly heldOutputTokens: number;
  /** The input that is set aside for. */
  readonly inputTokens: number;
  /** How often it may search. */
  readonly searches: number;
  /** What is booked as output at the most where a count can't be true. */
  readonly disbelievedOutputTokens: number;
  /** How much the model may have thought that nobody saw, and whether what it thinks can be seen, all of it. */
  readonly hidden: HiddenThinking;
  /** More input than any honest upstream counts. Costs a pass over the request: asked where more is counted than set aside for. */
  maxInputTokens(): number;
}

export interface HiddenThinking {
  readonly tokens: number;
  readonly isShown: boolean;
}

/** Of a model that does not think. */
export const nothingHidden: HiddenThinking = { tokens: 0, isShown: true };

/** The parts of a question that bound what may be counted for it. */
interface BoundedQuestion extends BoundedInput {
  readonly facts: { readonly features: { readonly webSearch: boolean } };
  readonly packed: { readonly inputBound: InputBound } | null;
  readonly maxTokens: number | null;
  readonly principal: { readonly plan: { readonly maxOutputTokens: number | null } };
}

/** Of one search, where nobody knows how much the model holds: it is read with all that was found before. */
const maxFound = 200_000;

/** What a model may count for a question (docs/decisions/027). `askedTokens`: the limit that it is given, 0 where it has none. */
export function usageLimits(
  question: BoundedQuestion,
  model: CatalogueModel,
  reserve: Pick<Reserve, 'covered' | 'outputLimit'>,
  hidden: HiddenThinking,
  askedTokens: number,
): UsageLimits {
  const { maxTokens, principal } = question;
  const { input: inputTokens, output: heldOutputTokens } = reserve.covered;
  const searches = maxSearches(model, question.facts.features.webSearch);
  let maxInput: number | null = null;
  return {
    outputTokens: Math.max(heldOutputTokens, askedTokens),
    heldOutputTokens,
    inputTokens,
    searches,
    hidden,
    disbelievedOutputTokens:
      maxTokens ??
      reserve.outputLimit ??
      initialHold({ maxTokens, planMaxOutputTokens: principal.plan.maxOutputTokens }, model),
    maxInputTokens() {
      maxInput ??=
        inputTokenCeiling(question.packed?.inputBound ?? inputBound(question), model.contextLength) +
        searches * (model.contextLength ?? maxFound);
      return maxInput;
    },
  };
}
