import { AppError, toAppError } from '#shared/errors.ts';
import type { Warning } from '#shared/wire/chat-response.ts';
import type { RateLimitLease } from '../../access/limits/rate-limit-lease.ts';
import type { AnswerObserver, AnswerPart, AnswerSink, ChatRequest, Engine } from '../../engine/answer.ts';
import { type Claimed, type KeptAnswers, type Replay, renewEveryMs } from '../../engine/idempotency/kept-answers.ts';
import type { ReasoningState } from '../../engine/reasoning/reasoning-state.ts';
import type { AnswerWriter, HttpExchange } from '../../http/exchange.ts';
import { toPath } from '../../http/policies.ts';
import type { AdmittedContext } from '../../http/request-context.ts';
import type { MemoryLease } from '../../runtime/body/body-blocks.ts';
import type { MaybePromise } from '../../runtime/concurrency/awaitable.ts';
import { type Collector, collectAnswer, createCollector, createSizeCheck } from './collect-answer.ts';
import { type FormedAnswer, getParts, keptFromText, keptToText } from './kept-answer.ts';
import type { AnswerIdentity } from './prompt-writer.ts';
import { type ChatReader, type Recall, readChatRequest } from './read-chat-request.ts';
import {
  keepAlive as comment,
  eventStreamHeaders,
  eventsFor,
  jsonType,
  type RoutePart,
  routeHeaders,
  type StreamTimes,
  type StreamWriter,
  streamTimes,
  warningHeaders,
} from './stream-writer.ts';

type Log = (entry: Readonly<Record<string, unknown>>) => void;

/** Claims the request's `Idempotency-Key`, or finds the answer to replay (§3.4). `digest`: the digest of its body. */
async function claimKey(
  { requestId, principal, head }: AdmittedContext,
  digest: string,
  keptAnswers: KeptAnswers,
): Promise<Claimed | Replay> {
  const key = head.header('idempotency-key') ?? '';
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) throw invalidKey();
  const { accountId, userId, credential } = principal;
  return keptAnswers.claim({
    parts: [`${accountId}/${credential.type}/${credential.id ?? userId ?? ''}`, toPath(head.target), key],
    requestId,
    body: digest,
  });
}

/** A longer answer is sent, but not stored. */
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
 * Stores an answer on the engine's side before its end reaches the client: a client that loses the connection gets it by sending the
 * request again. An unfinished answer releases the key, and so does every request with the caller's own provider key.
 */
function keepingObserver(claimed: Claimed, request: ChatRequest, identity: AnswerIdentity, log: Log): AnswerObserver {
  const report = (event: string) => (error: unknown) =>
    log({ event, request_id: request.requestId, cause: String(error) });
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
    ...(request.byoKey === null ? { parts: follow } : {}),
    async ended() {
      clearInterval(lease);
      await claimed.release().catch(report('idempotency_release_failed'));
    },
  };
}

/** Sends a stored answer in the form of the request: the same body, or one chunk of content, the finish and `[DONE]`. */
function sendReplay(
  { answer }: Replay,
  request: ChatRequest,
  form: ChatForm,
  context: AdmittedContext,
  exchange: HttpExchange,
): void {
  const kept = keptFromText(answer);
  const { identity, route, finish } = kept;
  const { stream, warnings } = request;
  const headers = {
    ...ownHeaders(form, context),
    'idempotent-replayed': 'true',
    ...routeHeaders(route),
    ...warningHeaders(stream ? warnings : finish.warnings),
  };
  if (!stream) {
    const text = JSON.stringify(form.response(kept, request));
    context.send(exchange, 200, { 'content-type': jsonType, ...headers }, text);
    return;
  }
  const writer = form.writer(identity, request);
  const answerWriter = context.open(exchange, 200, { ...eventStreamHeaders, ...headers });
  void answerWriter.write(eventsFor(getParts(kept), writer));
  answerWriter.end();
}

export interface ChatDeps {
  readonly engine: Engine;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The stored answers for `Idempotency-Key`. */
  readonly keptAnswers: KeptAnswers;
  /** The store of reasoning state, which also stores the items of responses. */
  readonly reasoning: Pick<ReasoningState, 'keep' | 'recall'>;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
  readonly streamTimes?: StreamTimes;
}

/** One API for chats: how its requests are read, and the two ways to answer them. */
export interface ChatForm {
  readonly reader: ChatReader;
  readonly idPrefix: string;
  /** A further header with the request's id, in which the API's clients look for it. */
  readonly requestIdHeader?: string;
  readonly writer: (identity: AnswerIdentity, request: ChatRequest) => StreamWriter;
  readonly response: (answer: FormedAnswer, request: ChatRequest) => object;
  readonly recall?: Recall;
  /** Stores what later requests may refer to, before a non-streaming answer is sent. */
  readonly keep?: (response: object, request: ChatRequest) => Promise<void> | undefined;
}

/** Answers a chat request of any form, streamed or not. Throws the reason for a refusal, and why there is no answer. */
export async function answerChat(
  context: AdmittedContext,
  exchange: HttpExchange,
  form: ChatForm,
  deps: ChatDeps,
): Promise<void> {
  const { requestId, rateLimitLease, memoryLease } = context;
  const request = await readChatRequest(context, exchange, form.reader, form.recall);
  const claim = request.digest === null ? null : await claimKey(context, request.digest, deps.keptAnswers);
  if (claim?.kind === 'replay') return sendReplay(claim, request, form, context, exchange);
  try {
    const reserved = reserveTokens(request, rateLimitLease);
    if (reserved !== undefined) await reserved;
  } catch (error) {
    await claim?.release();
    throw error;
  }
  rateLimitLease?.handOver();
  const identity: AnswerIdentity = {
    id: `${form.idPrefix}${requestId.slice('req_'.length)}`,
    requestId,
    created: Math.floor(deps.now() / 1_000),
  };
  const keeping = claim && keepingObserver(claim, request, identity, deps.log);
  const observer = new ReleasingObserver(rateLimitLease, memoryLease, keeping);
  if (request.stream) {
    return new Promise((resolve, reject) => {
      const writer = form.writer(identity, request);
      const open = (route: RoutePart | null) => {
        const own = { ...routeHeaders(route), ...warningHeaders(request.warnings), ...ownHeaders(form, context) };
        return context.open(exchange, 200, { ...eventStreamHeaders, ...own });
      };
      const stream = new StreamedAnswer(writer, deps.streamTimes ?? streamTimes, open, resolve, reject);
      deps.engine.answer(request, exchange.client, stream, observer);
    });
  }
  const content = await collectAnswer((sink) => deps.engine.answer(request, exchange.client, sink, observer));
  const collected = { identity, ...content };
  const response = form.response(collected, request);
  const stored = form.keep?.(response, request);
  if (stored !== undefined) await stored;
  const { route, finish } = collected;
  const own = { ...routeHeaders(route), ...warningHeaders(finish.warnings), ...ownHeaders(form, context) };
  context.send(exchange, 200, { 'content-type': jsonType, ...own }, JSON.stringify(response));
}

const ownHeaders = ({ requestIdHeader }: ChatForm, { requestId }: AdmittedContext): Record<string, string> =>
  requestIdHeader === undefined ? {} : { [requestIdHeader]: requestId };

/**
 * Releases what a request holds when the task of its answer ends. The memory is released before the request is settled: whoever has read
 * an answer to its end finds it free.
 */
class ReleasingObserver implements AnswerObserver {
  readonly parts: AnswerObserver['parts'];
  readonly #rateLimitLease: RateLimitLease | null;
  readonly #memoryLease: MemoryLease;
  readonly #keeping: AnswerObserver | null;
  #released: { readonly done: MaybePromise<void> } | null = null;
  #keptEnd: { readonly done: MaybePromise<void> } | null = null;

  constructor(rateLimitLease: RateLimitLease | null, memoryLease: MemoryLease, keeping: AnswerObserver | null) {
    this.#rateLimitLease = rateLimitLease;
    this.#memoryLease = memoryLease;
    this.#keeping = keeping;
    this.parts = keeping?.parts && ((parts) => keeping.parts?.(parts));
  }

  measured(tokens: number): void {
    this.#released ??= { done: this.#rateLimitLease?.release(tokens) };
  }

  /** A client that sends the request again does not have to wait until this one is settled. */
  detached(error: AppError): void {
    this.#keptEnd = { done: this.#keeping?.ended(0, error) };
  }

  async ended(tokens: number, error: unknown): Promise<void> {
    this.#memoryLease.release();
    this.measured(tokens);
    await this.#released?.done;
    await (this.#keptEnd ? this.#keptEnd.done : this.#keeping?.ended(tokens, error));
  }
}

/** How many of the minute's tokens are reserved for an answer without a limit on its length. */
const unlimitedOutputTokens = 4096;

/** Reserves the request's tokens of the minute. With the caller's own provider key they do not count (wire contract §6). */
function reserveTokens(request: ChatRequest, lease: RateLimitLease | null): MaybePromise<void> {
  if (!lease || request.byoKey) return undefined;
  const { facts, maxTokens, principal } = request;
  return lease.reserveTokens({
    input: facts.features.inputTokens,
    output: maxTokens ?? Math.min(unlimitedOutputTokens, principal.plan.maxOutputTokens ?? unlimitedOutputTokens),
  });
}

/**
 * Streams an answer as server-sent events. Nothing is sent before the first part, for at most `holdMs`: until then a failure rejects and
 * becomes a real HTTP status (wire contract §1.4.1). `onBegun` is called when the status line is out. Comments are sent when there is
 * silence for too long (§1.4.2).
 */
class StreamedAnswer implements AnswerSink {
  readonly #writer: StreamWriter;
  readonly #times: StreamTimes;
  readonly #open: (route: RoutePart | null) => AnswerWriter;
  readonly #onBegun: () => void;
  readonly #onRefused: (error: unknown) => void;
  readonly #hold: NodeJS.Timeout;
  #out: AnswerWriter | null = null;
  #isOver = false;
  #quiet: NodeJS.Timeout | undefined;

  constructor(
    writer: StreamWriter,
    times: StreamTimes,
    open: (route: RoutePart | null) => AnswerWriter,
    onBegun: () => void,
    onRefused: (error: unknown) => void,
  ) {
    this.#writer = writer;
    this.#times = times;
    this.#open = open;
    this.#onBegun = onBegun;
    this.#onRefused = onRefused;
    this.#hold = setTimeout(() => this.#keepAlive(this.#begin(null)), times.holdMs);
  }

  #begin(route: RoutePart | null): AnswerWriter {
    clearTimeout(this.#hold);
    const out = this.#open(route);
    this.#out = out;
    this.#quiet = setInterval(() => this.#keepAlive(out), this.#times.keepAliveMs);
    this.#onBegun();
    return out;
  }

  #keepAlive(out: AnswerWriter): void {
    void out.write(this.#writer.keepAlive ?? comment);
  }

  take(parts: readonly AnswerPart[]): Promise<void> | undefined {
    if (this.#isOver) return undefined;
    const [first] = parts;
    const out = this.#out ?? this.#begin(first?.type === 'route' ? first : null);
    const text = eventsFor(parts, this.#writer);
    if (parts.at(-1)?.type === 'finish') {
      const keeping = this.#writer.kept?.();
      return keeping === undefined ? this.#close(out, text) : keeping.then(() => this.#close(out, text));
    }
    this.#quiet?.refresh();
    return text === '' ? undefined : out.write(text);
  }

  #close(out: AnswerWriter, text: string): Promise<void> | undefined {
    this.#isOver = true;
    clearInterval(this.#quiet);
    const waits = out.write(text);
    out.end();
    return waits;
  }

  end(): void {
    this.fail(new AppError('internal_error', 'The answer ended without its end.'));
  }

  fail(error: unknown): void {
    if (this.#isOver) return;
    if (this.#out) return void this.#close(this.#out, this.#writer.failure(toAppError(error)));
    this.#isOver = true;
    clearTimeout(this.#hold);
    this.#onRefused(error);
  }
}
