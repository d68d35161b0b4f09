import { AppError, toAppError } from '#shared/errors.ts';
import type { Warning } from '#shared/wire/chat-response.ts';
import type { RateLimitLease } from '../../access/limits/rate-limit-lease.ts';
import type { AnswerObserver, AnswerSink, Engine, Question } from '../../engine/answer.ts';
import { type Claimed, type KeptAnswers, type Replay, renewEveryMs } from '../../engine/idempotency/kept-answers.ts';
import type { ReasoningState } from '../../engine/reasoning/reasoning-state.ts';
import type { Admitted } from '../../http/answer-exchange.ts';
import type { AnswerWriter, HeaderFields } from '../../http/exchange.ts';
import type { BodyPlace } from '../../runtime/body/body-blocks.ts';
import { andThen, type MaybePromise } from '../../runtime/concurrency/awaitable.ts';
import { jsonType, routeHeaders, warningHeaders } from './chat-headers.ts';
import { type Collector, collectAnswer, createCollector, createSizeCheck } from './collect-answer.ts';
import { type FormedAnswer, getParts, keptFromText, keptToText } from './kept-answer.ts';
import type { AnswerIdentity } from './prompt-writer.ts';
import type { QuestionReader } from './read-question.ts';
import { type ChatCall, type Recall, readChatCall } from './read-request.ts';
import {
  keepAlive as comment,
  eventStreamHeaders,
  eventsFor,
  getHeaders,
  type StreamTimes,
  streamTimes,
} from './stream-events.ts';
import type { RoutePart, StreamWriter } from './stream-writer.ts';

type Log = (entry: Readonly<Record<string, unknown>>) => void;

/** Claims the request's `Idempotency-Key`, or finds the answer to replay (§3.4). `digest`: of its body. */
async function claimKey(
  { requestId, principal, path, request }: Admitted,
  digest: string,
  keptAnswers: KeptAnswers,
): Promise<Claimed | Replay> {
  const key = request.header('idempotency-key') ?? '';
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) throw invalidKey();
  const { accountId, userId, credential } = principal;
  return keptAnswers.claim({
    parts: [`${accountId}/${credential.type}/${credential.id ?? userId ?? ''}`, path, key],
    requestId,
    body: digest,
  });
}

/** An answer that is longer is not kept, and goes on. */
const maxKeptChars = 8_388_608;

const notKept = (): Warning => ({
  code: 'idempotency_not_kept',
  param: 'Idempotency-Key',
  message: 'The answer is too long to be kept: who asks again with this key gets a new one.',
});

const invalidKey = () =>
  new AppError('invalid_value', '"Idempotency-Key" must be 1 to 255 visible ASCII characters.', {
    param: 'Idempotency-Key',
  });

/**
 * Keeps an answer at the engine's side, before its end reaches the client: who loses the connection then gets it by asking
 * again. Whatever is not finished releases the key, and so do requests with the caller's own provider key, always.
 */
function keepingWatcher(claimed: Claimed, question: Question, identity: AnswerIdentity, log: Log): AnswerObserver {
  const report = (event: string) => (error: unknown) =>
    log({ event, request_id: question.requestId, cause: String(error) });
  const lease = setInterval(() => void claimed.renew().catch(report('idempotency_renewal_failed')), renewEveryMs);
  const fits = createSizeCheck(maxKeptChars);
  let collector: Collector | null = createCollector();
  let route: RoutePart | null = null;
  const follow: AnswerObserver['parts'] = (parts) => {
    for (const part of parts) {
      if (part.type === 'route') route = part;
      else if (part.type !== 'finish') {
        if (!fits(part)) collector = null;
        collector?.add(part);
      } else if (collector === null) part.warnings.push(notKept());
      else if (route) {
        const answer = keptToText({ identity, route, finish: part, content: collector.result() });
        return claimed.complete(answer).catch(report('idempotency_answer_not_kept'));
      }
    }
    return undefined;
  };
  return {
    ...(question.byoKey === null ? { parts: follow } : {}),
    async ended() {
      clearInterval(lease);
      await claimed.release().catch(report('idempotency_release_failed'));
    },
  };
}

/** A kept answer in the form it was asked in: the same body, or one chunk of content, the finish and `[DONE]`. */
function sendReplay({ answer }: Replay, call: ChatCall, form: ChatForm, admitted: Admitted): void {
  const kept = keptFromText(answer);
  const { identity, route, finish } = kept;
  const { stream, warnings } = call.question;
  const headers = {
    'idempotent-replayed': 'true',
    ...routeHeaders(route),
    ...warningHeaders(stream ? warnings : finish.warnings),
  };
  if (!stream) {
    const text = JSON.stringify(form.response(kept, call));
    admitted.send(200, { 'content-type': jsonType, ...headers }, text);
    return;
  }
  const writer = form.writer(identity, call);
  const answerWriter = admitted.open(200, { ...eventStreamHeaders, ...headers });
  void answerWriter.write(eventsFor(getParts(kept), writer));
  answerWriter.end();
}

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

interface StreamEnd {
  open(status: number, headers: HeaderFields): AnswerWriter;
}

/**
 * Streams an answer as server-sent events: each part is written by whoever made it. Nothing is sent before the first part, at
 * most `holdMs`: until then a failure is thrown and becomes a real HTTP status (wire contract §1.4.1). Resolves once the
 * status line is out. Comments are sent wherever there is silence for too long (§1.4.2).
 */
function streamAnswer(
  answer: (reader: AnswerSink) => void,
  end: StreamEnd,
  writer: StreamWriter,
  warnings: readonly Warning[],
  times: StreamTimes,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const { keepAlive = comment } = writer;
    let answerWriter: AnswerWriter | null = null;
    let over = false;
    let quiet: NodeJS.Timeout | undefined;
    const hold = setTimeout(() => void begin(null).write(keepAlive), times.holdMs);

    function begin(route: RoutePart | null): AnswerWriter {
      clearTimeout(hold);
      const opened = end.open(200, getHeaders(route, warnings));
      answerWriter = opened;
      quiet = setInterval(() => void opened.write(keepAlive), times.keepAliveMs);
      resolve();
      return opened;
    }

    function close(opened: AnswerWriter, text: string): Promise<void> | undefined {
      over = true;
      clearInterval(quiet);
      const waits = opened.write(text);
      opened.end();
      return waits;
    }

    function fail(error: unknown): void {
      if (over) return;
      if (answerWriter) return void close(answerWriter, writer.failure(toAppError(error)));
      over = true;
      clearTimeout(hold);
      reject(error);
    }

    answer({
      take(parts) {
        if (over) return undefined;
        const [first] = parts;
        const opened = answerWriter ?? begin(first?.type === 'route' ? first : null);
        const text = eventsFor(parts, writer);
        if (parts.at(-1)?.type === 'finish') {
          const keeping = writer.kept?.();
          return keeping !== undefined ? keeping.then(() => close(opened, text)) : close(opened, text);
        }
        quiet?.refresh();
        return text === '' ? undefined : opened.write(text);
      },
      end() {
        if (!over) fail(new AppError('internal_error', 'The answer ended without its end.'));
      },
      fail,
    });
  });
}
