import type { Context } from 'hono';
import type { Engine } from '../answer.ts';
import { AnswerResponse } from '../lib/answer-response.ts';
import { routeHeaders, warningHeaders } from './chat-headers.ts';
import { type Collected, collect } from './collected.ts';
import type { AppEnv } from './context.ts';
import type { AnswerIdentity } from './prompt-writer.ts';
import type { Asked } from './question.ts';
import { streamAnswer } from './stream-answer.ts';
import { type StreamTimes, streamResponse, streamTimes } from './stream-response.ts';
import type { FinishPart, RoutePart, StreamWriter } from './writer.ts';

export interface ChatDeps {
  readonly engine: Engine;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly streamTimes?: StreamTimes;
}

/** One chat form's two ways to answer. */
export interface ChatForm {
  readonly idPrefix: 'chat' | 'chatcmpl';
  readonly writer: (identity: AnswerIdentity, asked: Asked) => StreamWriter;
  readonly response: (identity: AnswerIdentity, route: RoutePart, finish: FinishPart, content: Collected) => object;
}

/** Who waits for an answer. */
export interface Asker {
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
  /** Its carrier writes an `AnswerResponse` by itself. */
  readonly takesParts: boolean;
}

export const askerOf = ({ req, env }: Context<AppEnv>): Asker => ({
  signal: req.raw.signal,
  takesParts: env?.takesParts === true,
});

/** Answers a checked request, streamed or whole. */
export async function answerResponse(
  asked: Asked,
  form: ChatForm,
  deps: ChatDeps,
  { signal, takesParts }: Asker,
): Promise<Response> {
  const { question } = asked;
  const identity: AnswerIdentity = {
    id: question.requestId.replace(/^req_/, `${form.idPrefix}_`).replace(/^chatcmpl_/, 'chatcmpl-'),
    requestId: question.requestId,
    created: Math.floor(deps.now() / 1_000),
  };
  const parts = deps.engine.answer(question, signal);
  if (asked.stream) {
    const times = deps.streamTimes ?? streamTimes;
    if (takesParts) {
      return (await streamAnswer(parts, form.writer(identity, asked), question.warnings, times)).asResponse();
    }
    return streamResponse(parts, form.writer(identity, asked), question.warnings, times);
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
