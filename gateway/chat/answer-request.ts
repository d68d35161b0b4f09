import type { Context } from 'hono';
import type { BodyPlace } from '../body/body-budget.ts';
import type { AnswerWatcher, Question } from '../engine/answer.ts';
import type { AppEnv } from '../http/context.ts';
import type { ChatPass } from '../limits/chat-pass.ts';
import { answerResponse, askerOf, type ChatDeps, type ChatForm, identityOf } from './chat-response.ts';
import { claimKey, keepingWatcher, replayResponse } from './idempotent-request.ts';
import { readChatCall } from './read-request.ts';

/** Answers a chat request of either form, from its body to its response. */
export async function answerRequest(context: Context<AppEnv>, form: ChatForm, deps: ChatDeps): Promise<Response> {
  const { requestId, pass, place } = context.var;
  const call = await readChatCall(context, form.name);
  const claim = await claimKey(context, call.digest, deps.keptAnswers);
  if (claim?.kind === 'replay') return replayResponse(claim, call, form);
  await reserveTokens(call.question, pass).catch(async (error: unknown) => {
    await claim?.release();
    throw error;
  });
  pass?.run();
  const identity = identityOf(requestId, form, deps.now());
  const keeping = claim && keepingWatcher(claim, call.question, identity, deps.log);
  return answerResponse(call, identity, form, deps, askerOf(context), leaving(pass, place, keeping));
}

/**
 * Ends the request's way through the limits when its task ends, and what keeps its answer as well. The place is given back
 * while the books are closed: whoever has read the answer to its end finds it free.
 */
function leaving(pass: ChatPass | undefined, place: BodyPlace, keeping: AnswerWatcher | null): AnswerWatcher {
  let left: Promise<void> | undefined;
  const leave = (tokens: number) => {
    left ??= pass?.leave(tokens);
    return left;
  };
  return {
    ...(keeping?.part ? { part: keeping.part } : {}),
    measured: (tokens) => void leave(tokens),
    async ended(tokens, error) {
      place.leave();
      await leave(tokens);
      await keeping?.ended(tokens, error);
    },
  };
}

/** What is reserved of the minute's tokens for an answer whose length nobody has limited. */
const unlimitedOutputTokens = 4096;

/** Tokens that the caller's own provider key pays for do not count (wire contract §6). */
async function reserveTokens(question: Question, pass: ChatPass | undefined): Promise<void> {
  if (!pass || question.byoKey) return;
  const { facts, maxTokens, principal } = question;
  await pass.reserveTokens({
    input: facts.features.inputTokens,
    output: maxTokens ?? Math.min(unlimitedOutputTokens, principal.plan.maxOutputTokens ?? unlimitedOutputTokens),
  });
}
