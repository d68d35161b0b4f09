import { type Fitted, fitRequest } from '../fitting/fit-request.ts';
import type { CallState } from '../providers/call-state.ts';
import type { ProviderRequest } from '../providers/provider.ts';
import type { Features } from '../routing/features.ts';
import type { Target } from './admit.ts';
import type { Question } from './answer.ts';
import { foundAgain } from './call-reasoning.ts';
import type { Run, Try } from './run.ts';

/** The question as this model takes it, and what had to be changed for that. `recalled`: reasoning that the client did not send back. */
export function fitQuestion(
  question: Question,
  target: Pick<Target, 'model' | 'provider'>,
  recalled: CallState | null = null,
): Fitted {
  const { parameters, openaiOnly, facts } = question;
  const { features } = facts;
  const shape = foundAgain(facts.shape, recalled, target.model.model);
  const maxTokens = longestAnswer(question, features, target);
  return fitRequest(
    { parameters, openaiOnly, shape, marksCache: features.promptCache !== null, maxTokens },
    target.model,
  );
}

/** What a provider is asked, with the limit that its answer needs. */
export function requestFor({ question }: Run, target: Target, { fitted, recalled, whole }: Try): ProviderRequest {
  return {
    model: target.model.model,
    facts: target.model.facts,
    changes: fitted.changes,
    messages: question.messages,
    messagesJson: question.messagesJson,
    packed: question.packed,
    recalled,
    maxTokens: fitted.maxTokens,
    api: fitted.api,
    parameters: fitted.parameters,
    openaiOnly: fitted.openaiOnly,
    whole,
  };
}

/** The limit that is asked for; null where the provider decides. */
function longestAnswer(
  { maxTokens, principal }: Question,
  { inputTokens }: Features,
  { model, provider }: Pick<Target, 'model' | 'provider'>,
): number | null {
  if (maxTokens !== null) return maxTokens;
  const { maxOutputTokens } = principal.plan;
  if (maxOutputTokens === null && provider.needsMaxTokens !== true) return null;
  const room = (model.contextLength ?? Number.POSITIVE_INFINITY) - inputTokens;
  const limits = [model.maxOutputTokens ?? defaultMaxTokens, maxOutputTokens ?? Number.POSITIVE_INFINITY];
  return Math.min(...limits, Math.max(room, smallestRoom));
}

/** Where a provider wants a limit and the catalogue knows none. */
const defaultMaxTokens = 8_192;
/** The input estimate may be too high: an answer is never left with less than this because of it. */
const smallestRoom = 1_024;
