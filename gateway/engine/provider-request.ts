import type { ProviderRequest } from '../providers/provider.ts';
import type { Target } from './admit.ts';
import type { Run, Try } from './run.ts';

/** What a provider is asked, with the limit that its answer needs. */
export function requestFor(
  { question, admitted }: Run,
  { model, provider }: Target,
  { fitted, whole }: Try,
): ProviderRequest {
  const { maxOutputTokens } = question.principal.plan;
  const room = (model.contextLength ?? Number.POSITIVE_INFINITY) - admitted.features.inputTokens;
  const limits = [model.maxOutputTokens ?? defaultMaxTokens, maxOutputTokens ?? Number.POSITIVE_INFINITY];
  const cap = Math.min(...limits, Math.max(room, smallestRoom));
  const mustBeSaid = maxOutputTokens !== null || provider.needsMaxTokens === true;
  return {
    model: model.model,
    messages: question.messages,
    messagesJson: question.messagesJson,
    packed: question.packed,
    maxTokens: question.maxTokens ?? (mustBeSaid ? cap : null),
    parameters: fitted.parameters,
    openaiOnly: fitted.openaiOnly,
    whole,
  };
}

/** Where a provider wants a limit and the catalogue knows none. */
const defaultMaxTokens = 8_192;
/** The input estimate may be too high: an answer is never left with less than this because of it. */
const smallestRoom = 1_024;
