import type { ConversationShape } from '../content/conversation-shape.ts';
import type { CallState } from '../providers/call-state.ts';
import type { ReasoningOwner } from '../reasoning/kept-reasoning.ts';
import type { Target } from './admit.ts';
import type { Run } from './run.ts';

/**
 * What this model signed earlier in the conversation and the client did not send back; nothing where the provider signs nothing.
 * The request can be fitted to do without, so that a fault of the books is no fault of the request.
 */
export function recallReasoning(run: Run, target: Target): Promise<CallState | null> | null {
  const { question, deps } = run;
  const { unsignedCalls } = question.facts.shape;
  if (unsignedCalls.length === 0 || question.byoKey || !target.provider.signsReasoning) return null;
  return deps.reasoning.recall(ownerOf(run, target), unsignedCalls).catch((error: unknown) => {
    deps.log({ event: 'reasoning_not_recalled', request_id: question.requestId, cause: String(error) });
    return null;
  });
}

/** Keeps what the provider signed, so that it is there when the calls' results come. Never of a caller's own key (§3.4). */
export function keepReasoning(run: Run, target: Target): Promise<void> | undefined {
  const { signed, question, deps } = run;
  if (signed.length === 0 || question.byoKey) return undefined;
  return deps.reasoning.keep(ownerOf(run, target), signed).catch((error: unknown) => {
    deps.log({ event: 'reasoning_not_kept', request_id: question.requestId, cause: String(error) });
  });
}

const ownerOf = ({ question }: Run, { model }: Target): ReasoningOwner => ({
  accountId: question.principal.accountId,
  model: model.id,
});

/** The shape of a conversation whose lost thinking was found again. `model`: who thought it. */
export function foundAgain(shape: ConversationShape, recalled: CallState | null, model: string): ConversationShape {
  const { lastCalls } = shape;
  const found = lastCalls?.ids.some((id) => recalled?.get(id)?.anthropic);
  return lastCalls && found ? { ...shape, lastCalls: { ...lastCalls, thinkers: [model] } } : shape;
}
