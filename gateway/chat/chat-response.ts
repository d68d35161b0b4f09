import type { Context } from 'hono';
import type { StopSignal } from '../concurrency/stop-signal.ts';
import type { AnswerWatcher, Engine } from '../engine/answer.ts';
import { AnswerResponse } from '../http/answer-response.ts';
import type { AppEnv } from '../http/context.ts';
import type { KeptAnswers } from '../idempotency/kept-answers.ts';
import { routeHeaders, warningHeaders } from './chat-headers.ts';
import { type Collected, collect } from './collect-answer.ts';
import type { AnswerIdentity } from './prompt-writer.ts';
import type { QuestionForm } from './read-question.ts';
import type { ChatCall } from './read-request.ts';
import { streamAnswer } from './stream-answer.ts';
import { type StreamTimes, streamResponse, streamTimes } from './stream-response.ts';
import type { FinishPart, RoutePart, StreamWriter } from './stream-writer.ts';

export interface ChatDeps {
  readonly engine: Engine;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** What `Idempotency-Key` remembers. */
  readonly keptAnswers: KeptAnswers;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
  readonly streamTimes?: StreamTimes;
}

/** One chat form's two ways to answer. */
export interface ChatForm {
  readonly name: QuestionForm;
  readonly idPrefix: 'chat' | 'chatcmpl';
  readonly writer: (identity: AnswerIdentity, call: ChatCall) => StreamWriter;
  readonly response: (identity: AnswerIdentity, route: RoutePart, finish: FinishPart, content: Collected) => object;
}

/** The names of an answer in one of the forms. */
export const identityOf = (requestId: string, { idPrefix }: ChatForm, nowMs: number): AnswerIdentity => ({
  id: requestId.replace(/^req_/, `${idPrefix}_`).replace(/^chatcmpl_/, 'chatcmpl-'),
  requestId,
  created: Math.floor(nowMs / 1_000),
});

/** Who waits for an answer. */
export interface Asker {
  /** Aborts when the client has gone. */
  readonly signal: StopSignal;
  /** Its carrier writes an `AnswerResponse` by itself. */
  readonly takesParts: boolean;
}

export const askerOf = ({ req, env }: Context<AppEnv>): Asker => ({
  signal: req.raw.signal,
  takesParts: env?.takesParts === true,
});

/** Answers a checked request, streamed or whole. */
export async function answerResponse(
  call: ChatCall,
  identity: AnswerIdentity,
  form: ChatForm,
  deps: ChatDeps,
  { signal, takesParts }: Asker,
  watcher: AnswerWatcher,
): Promise<Response> {
  const { question } = call;
  const parts = deps.engine.answer(question, signal, watcher);
  if (call.stream) {
    const times = deps.streamTimes ?? streamTimes;
    if (takesParts) {
      return (await streamAnswer(parts, form.writer(identity, call), question.warnings, times)).asResponse();
    }
    return streamResponse(parts, form.writer(identity, call), question.warnings, times);
  }
  const { route, finish, content } = await collect(parts);
  const text = JSON.stringify(form.response(identity, route, finish, content));
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    ...routeHeaders(route),
    ...warningHeaders(finish.warnings),
  };
  return takesParts ? new AnswerResponse({ text }, headers).asResponse() : new Response(text, { headers });
}
