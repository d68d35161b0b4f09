import type { AnswerWatcher, Engine } from '../answer.ts';
import { routeHeaders, warningHeaders } from './chat-headers.ts';
import { type Collected, collect } from './collected.ts';
import type { AnswerIdentity } from './prompt-writer.ts';
import type { Asked } from './question.ts';
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

/** Answers a checked request, streamed or whole. `signal` aborts when the client has gone. */
export async function answerResponse(
  asked: Asked,
  form: ChatForm,
  deps: ChatDeps,
  signal: AbortSignal,
  watcher: AnswerWatcher,
): Promise<Response> {
  const { question } = asked;
  const identity: AnswerIdentity = {
    id: question.requestId.replace(/^req_/, `${form.idPrefix}_`).replace(/^chatcmpl_/, 'chatcmpl-'),
    requestId: question.requestId,
    created: Math.floor(deps.now() / 1_000),
  };
  const parts = deps.engine.answer(question, signal, watcher);
  if (asked.stream) {
    return streamResponse(parts, form.writer(identity, asked), question.warnings, deps.streamTimes ?? streamTimes);
  }
  const { route, finish, content } = await collect(parts);
  return Response.json(form.response(identity, route, finish, content), {
    headers: {
      'content-type': 'application/json; charset=utf-8',
      ...routeHeaders(route),
      ...warningHeaders(finish.warnings),
    },
  });
}
