import type { AppError } from '#shared/errors.ts';
import type { RateLimitLease } from '../../access/limits/rate-limit-lease.ts';
import type { AnswerObserver, AnswerSink, Engine, Question } from '../../engine/answer.ts';
import type { KeptAnswers } from '../../engine/idempotency/kept-answers.ts';
import type { ReasoningState } from '../../engine/reasoning/reasoning-state.ts';
import type { Admitted } from '../../http/answer-exchange.ts';
import type { BodyPlace } from '../../runtime/body/body-blocks.ts';
import { andThen, type MaybePromise } from '../../runtime/concurrency/awaitable.ts';
import { jsonType, routeHeaders, warningHeaders } from './chat-headers.ts';
import { collectAnswer } from './collect-answer.ts';
import { claimKey, keepingWatcher, sendReplay } from './idempotent-request.ts';
import type { FormedAnswer } from './kept-answer.ts';
import type { AnswerIdentity } from './prompt-writer.ts';
import type { QuestionReader } from './read-question.ts';
import { type ChatCall, type Recall, readChatCall } from './read-request.ts';
import { streamAnswer } from './stream-answer.ts';
import { type StreamTimes, streamTimes } from './stream-events.ts';
import type { StreamWriter } from './stream-writer.ts';

export interface ChatDeps {
  readonly engine: Engine;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** What `Idempotency-Key` remembers. */
  readonly keptAnswers: KeptAnswers;
  /** What the items of responses are kept beside. */
  readonly reasoning: Pick<ReasoningState, 'keep' | 'recall'>;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
  readonly streamTimes?: StreamTimes;
}

/** One form of chats: how a request is read, and the two ways to answer it. */
export interface ChatForm {
  readonly reader: QuestionReader;
  readonly idPrefix: string;
  readonly writer: (identity: AnswerIdentity, call: ChatCall) => StreamWriter;
  readonly response: (answer: FormedAnswer, call: ChatCall) => object;
  readonly recall?: Recall;
  /** Stores of a whole answer what later requests may refer to, before it is sent. */
  readonly keep?: (response: object, call: ChatCall) => Promise<void> | undefined;
}

/** Answers a chat request of any form, streamed or whole. Throws what refuses it, and why there is no answer. */
export async function answerChat(admitted: Admitted, form: ChatForm, deps: ChatDeps): Promise<void> {
  const { requestId, request, pass, place } = admitted;
  const call = await readChatCall(admitted, form.reader, form.recall);
  const { question } = call;
  const claim = call.digest === null ? null : await claimKey(admitted, call.digest, deps.keptAnswers);
  if (claim?.kind === 'replay') return sendReplay(claim, call, form, admitted);
  try {
    const reserved = reserveTokens(question, pass);
    if (reserved instanceof Promise) await reserved;
  } catch (error) {
    await claim?.release();
    throw error;
  }
  pass?.run();
  const identity = getIdentity(requestId, form, deps.now());
  const watcher = new LeavingWatcher(pass, place, claim && keepingWatcher(claim, question, identity, deps.log));
  const answer = (reader: AnswerSink) => deps.engine.answer(question, request.client, reader, watcher);
  if (question.stream) {
    return streamAnswer(
      answer,
      admitted,
      form.writer(identity, call),
      question.warnings,
      deps.streamTimes ?? streamTimes,
    );
  }
  const collected = { identity, ...(await collectAnswer(answer)) };
  const response = form.response(collected, call);
  const keeping = form.keep?.(response, call);
  if (keeping !== undefined) await keeping;
  sendWhole(admitted, collected, response);
}

function sendWhole(admitted: Admitted, { route, finish }: FormedAnswer, response: object): void {
  const headers = { 'content-type': jsonType, ...routeHeaders(route), ...warningHeaders(finish.warnings) };
  admitted.send(200, headers, JSON.stringify(response));
}

/** The names of an answer in one of the forms. */
const getIdentity = (requestId: string, { idPrefix }: ChatForm, nowMs: number): AnswerIdentity => ({
  id: `${idPrefix}${requestId.slice('req_'.length)}`,
  requestId,
  created: Math.floor(nowMs / 1_000),
});

/**
 * Ends the request's way through the limits when its task ends, and what keeps its answer as well. The place is given back
 * while the books are closed: whoever has read the answer to its end finds it free.
 */
class LeavingWatcher implements AnswerObserver {
  readonly parts: AnswerObserver['parts'];
  readonly #pass: RateLimitLease | null;
  readonly #place: BodyPlace;
  readonly #keeping: AnswerObserver | null;
  #left: { readonly done: MaybePromise<void> } | null = null;
  #released: { readonly done: MaybePromise<void> } | null = null;

  constructor(pass: RateLimitLease | null, place: BodyPlace, keeping: AnswerObserver | null) {
    this.#pass = pass;
    this.#place = place;
    this.#keeping = keeping;
    this.parts = keeping?.parts && ((parts) => keeping.parts?.(parts));
  }

  measured(tokens: number): void {
    this.#left ??= { done: this.#pass?.leave(tokens) };
  }

  /** Whoever asks again does not have to wait until the books are closed. */
  left(error: AppError): void {
    this.#released = { done: this.#keeping?.ended(0, error) };
  }

  ended(tokens: number, error: unknown): MaybePromise<void> {
    this.#place.leave();
    this.measured(tokens);
    return andThen(this.#left?.done, () =>
      this.#released ? this.#released.done : this.#keeping?.ended(tokens, error),
    );
  }
}

/** What is reserved of the minute's tokens for an answer whose length nobody has limited. */
const unlimitedOutputTokens = 4096;

/** Tokens that the caller's own provider key pays for do not count (wire contract §6). */
function reserveTokens(question: Question, pass: RateLimitLease | null): MaybePromise<void> {
  if (!pass || question.byoKey) return undefined;
  const { facts, maxTokens, principal } = question;
  return pass.reserveTokens({
    input: facts.features.inputTokens,
    output: maxTokens ?? Math.min(unlimitedOutputTokens, principal.plan.maxOutputTokens ?? unlimitedOutputTokens),
  });
}
