import { AppError } from '#shared/errors.ts';
import { readOnTheWay } from '#shared/plain-http.ts';
import { BodyBlocks } from '../../runtime/body/body-blocks.ts';
import type { StopSignal } from '../../runtime/concurrency/stop-signal.ts';
import { parseExact, putExactNumbers } from '../../runtime/json/exact-numbers.ts';
import { workerPool } from '../../runtime/threads/worker-pool.ts';
import { mayCarrySecrets } from './dispatch-fetch.ts';
import { jsonAnswerTask } from './json-answer-task.ts';
import { unreachableReason, unreachableWords } from './unreachable.ts';
import { readFault, upstreamError } from './upstream-error.ts';
import type { UpstreamBody, UpstreamFetch, UpstreamResponse } from './upstream-response.ts';

export interface UpstreamCall {
  readonly provider: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent by POST as JSON, or unchanged if it's bytes. Without a body the call is a GET. */
  readonly body?: unknown;
  readonly fetch: UpstreamFetch;
  readonly signal: StopSignal;
}

const errorBodyBytes = 65_536;
const errorBodyMs = 5_000;
/**
 * Maximum time between two chunks of bytes, including comments and pings, while the gateway is reading (wire contract
 * §7).
 */
const idleMs = 60_000;
/** How long a server may take to send the rest of a complete answer, or to end it. */
const lateMs = 1_000;

interface ReadUntil {
  /** Nothing more is read. */
  readonly done?: boolean;
  /** The end of the connection, or silence, is the end of the answer. */
  readonly isComplete?: boolean;
  /** False before the first event of an answer. Until then silence isn't limited here, but by whoever asked for it. */
  readonly hasBegun?: boolean;
}

/**
 * The only place where the gateway calls upstreams. It follows no redirects and doesn't retry. A status other than 2xx,
 * or a server that can't be reached, becomes an `AppError` with an upstream code.
 */
export async function upstreamFetch(call: UpstreamCall): Promise<UpstreamResponse> {
  refuseInsecure(call);
  const response = await send(call);
  if (response.ok) return response;
  if (response.status >= 300 && response.status < 400) {
    await response.body?.cancel().catch(() => {});
    throw new AppError('upstream_bad_response', `${call.provider} answered with a redirect. Is its base URL right?`, {
      provider: call.provider,
    });
  }
  const text = await errorText(response);
  const fault = readFault(parsed(text), call.provider, response.status);
  throw upstreamError({ ...fault, ...retryAfter(response.headers) });
}

const keyHeaders = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'];

/**
 * The last check that no key is sent over plain http, whoever set the address and whoever owns the key. Nearly all
 * calls use https and pass the first condition.
 */
function refuseInsecure({ url, headers, provider }: UpstreamCall): void {
  if (url.startsWith('https://') || mayCarrySecrets(url)) return;
  if (!Object.keys(headers).some((name) => keyHeaders.includes(name.toLowerCase()))) return;
  const sentence = `${provider} was not asked: its address needs https, because ${readOnTheWay}`;
  throw new AppError('upstream_unreachable', sentence, { provider });
}

const send = ({ url, headers, body, fetch, signal, provider }: UpstreamCall): Promise<UpstreamResponse> =>
  fetch(url, {
    ...(body === undefined ? { method: 'GET', headers: { ...headers } } : posted(headers, body)),
    redirect: 'manual',
    signal,
  }).catch((cause: unknown) => {
    if (signal.aborted) throw signal.reason;
    // The app's way out is closed, and the sentence names how it is opened again.
    if (cause instanceof AppError)
      throw new AppError(cause.code, cause.message, { provider, refusal: cause.refusal, cause });
    const reason = unreachableReason(cause);
    const why = reason === null ? '.' : `: ${unreachableWords[reason]}.`;
    throw new AppError('upstream_unreachable', `${provider} could not be reached${why}`, { provider, cause });
  });

const posted = (headers: UpstreamCall['headers'], body: unknown) => ({
  method: 'POST' as const,
  headers: { ...headers, 'content-type': 'application/json' },
  body: body instanceof Uint8Array ? getBytes(body) : JSON.stringify(body),
});

/** The bytes come from a socket and are never shared memory, so the cast is safe. */
const getBytes = (body: Uint8Array) => body as Uint8Array<ArrayBuffer>;

/** Reads the beginning of an error's body; empty if it doesn't arrive in time. */
async function errorText(response: UpstreamResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  if (!reader) return '';
  const timer = setTimeout(() => void reader.cancel().catch(() => {}), errorBodyMs);
  try {
    while (size < errorBodyBytes) {
      const { done, value } = await reader.read();
      if (done || !value) break;
      chunks.push(value);
      size += value.byteLength;
    }
  } catch {
    // Without the body there is still the status, which is enough.
  } finally {
    clearTimeout(timer);
    await reader.cancel().catch(() => {});
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return null;
  }
}

function retryAfter(headers: UpstreamResponse['headers']): { retryAfterMs?: number } {
  const ms = askedWaitMs(headers);
  return ms === null ? {} : { retryAfterMs: ms };
}

/** Reads `retry-after-ms`, or else `retry-after` in seconds or as a date. */
function askedWaitMs(headers: UpstreamResponse['headers']): number | null {
  const ms = Number(headers.get('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const text = headers.get('retry-after');
  const seconds = Number(text ?? Number.NaN);
  if (Number.isFinite(seconds) && seconds >= 0) return seconds * 1_000;
  const retryAt = text === null ? Number.NaN : Date.parse(text);
  const sentAt = Date.parse(headers.get('date') ?? '');
  return retryAt > sentAt ? retryAt - sentAt : null;
}

/**
 * Yields the bytes of an answer as they arrive. If the connection breaks or stays silent, it fails with an `AppError`.
 * While the reader is `held` up, the upstream can't send and doesn't count as silent.
 */
export async function* upstreamBytes(
  response: UpstreamResponse,
  provider: string,
  reading: { held: boolean; readonly until?: ReadUntil } = { held: false },
  silentMs: number = idleMs,
): AsyncGenerator<Uint8Array> {
  if (!response.body) throw new AppError('upstream_bad_response', `${provider} sent no answer.`, { provider });
  const reader = response.body.getReader();
  let isSilent = false;
  let late: NodeJS.Timeout | undefined;
  const timer: NodeJS.Timeout = setTimeout(() => {
    if (reading.held) return;
    if (reading.until?.hasBegun === false) return void timer.refresh();
    isSilent = true;
    void reader.cancel().catch(() => {});
  }, silentMs);
  try {
    for (;;) {
      if (reading.until?.isComplete) late ??= setTimeout(() => void reader.cancel().catch(() => {}), lateMs);
      const { done, value } = await reader.read().catch((cause: unknown) => {
        if (reading.until?.isComplete) return { done: true, value: undefined };
        throw broken(provider, cause);
      });
      if (isSilent && !reading.until?.isComplete) throw silent(provider);
      if (done || !value) return;
      timer.refresh();
      yield value;
      timer.refresh();
    }
  } finally {
    clearTimeout(timer);
    clearTimeout(late);
    await reader.cancel().catch(() => {});
  }
}

/**
 * Passes the bytes of an answer to `take` until it ends or `until` is done. While the promise of `take` is pending,
 * the upstream has to wait, and this time doesn't count as silence. If the connection breaks or stays silent, it fails
 * with an `AppError`. Errors of `take` are passed on unchanged.
 */
export function pushBytes(
  response: UpstreamResponse,
  provider: string,
  take: (bytes: Uint8Array) => Promise<void> | undefined,
  until: ReadUntil,
  silentMs: number | null = idleMs,
): Promise<void> {
  const { body } = response;
  if (body?.pipe) return piped(body, provider, take, until, silentMs);
  return readThrough(response, provider, take, until, silentMs);
}

async function readThrough(
  response: UpstreamResponse,
  provider: string,
  take: (bytes: Uint8Array) => Promise<void> | undefined,
  until: ReadUntil,
  silentMs: number | null,
): Promise<void> {
  const reading = { held: silentMs === null, until };
  for await (const bytes of upstreamBytes(response, provider, reading, silentMs ?? idleMs)) {
    const waits = take(bytes);
    reading.held = waits !== undefined;
    if (waits !== undefined) await waits;
    reading.held = silentMs === null;
    if (until.done) return;
  }
}

function piped(
  body: UpstreamBody,
  provider: string,
  take: (bytes: Uint8Array) => Promise<void> | undefined,
  until: ReadUntil,
  silentMs: number | null,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let over = false;
  let waits = false;
  let late: NodeJS.Timeout | undefined;
  const finish = (settle: () => void) => {
    if (over) return;
    over = true;
    clearTimeout(timer);
    clearTimeout(late);
    void body.cancel().then(settle, settle);
  };
  const fail = (error: unknown) => finish(() => reject(error));
  const failedConnection = (error: unknown) => finish(() => (until.isComplete ? resolve() : reject(error)));
  const onSilence = () => {
    if (until.hasBegun === false) timer?.refresh();
    else if (!waits) failedConnection(silent(provider));
  };
  const timer: NodeJS.Timeout | undefined = silentMs === null ? undefined : setTimeout(onSilence, silentMs);
  const goOn = () => {
    waits = false;
    goesOn();
  };
  const goesOn = () => {
    if (until.done) finish(resolve);
    else timer?.refresh();
    if (until.isComplete && !over) late ??= setTimeout(() => finish(resolve), lateMs);
  };
  const value = (bytes: Uint8Array): Promise<void> | undefined => {
    if (over) return undefined;
    try {
      const taken = take(bytes);
      waits = taken !== undefined;
      if (taken !== undefined) return taken.then(goOn, fail);
      goesOn();
    } catch (error) {
      fail(error);
    }
    return undefined;
  };
  const end = () => {
    if (over) return;
    over = true;
    clearTimeout(timer);
    clearTimeout(late);
    resolve();
  };
  body.pipe?.({ value, end, fail: (cause) => failedConnection(broken(provider, cause)) });
  return promise;
}

const silent = (provider: string) =>
  new AppError('upstream_timeout', `${provider} fell silent in the middle of its answer.`, { provider });

const broken = (provider: string, cause: unknown) =>
  new AppError('upstream_truncated', `${provider} broke the connection off.`, { provider, cause });

/** Reads a JSON answer that isn't a stream, up to 8 MiB: a short one here, a long one on a worker thread. */
export const readJson = (response: UpstreamResponse, provider: string): Promise<unknown> =>
  jsonWithin(jsonBytes, response, provider, idleMs);

/**
 * Reads a non-streaming answer to a chat, up to 8 MiB or `maxBytes` if that's more. Silence isn't limited here, because
 * the upstream sends nothing while the model writes.
 */
export const wholeJson = (response: UpstreamResponse, provider: string, maxBytes = 0): Promise<unknown> =>
  jsonWithin(Math.max(jsonBytes, maxBytes), response, provider, null);

async function jsonWithin(
  limit: number,
  response: UpstreamResponse,
  provider: string,
  silentMs: number | null,
): Promise<unknown> {
  const blocks = new BodyBlocks();
  const isTooMuch = await addBytes(blocks, limit, response, provider, silentMs);
  const read = isTooMuch ? null : toJson(blocks);
  const value = read instanceof Promise ? await read : read;
  if (value !== null) return value;
  throw new AppError('upstream_bad_response', `${provider} did not answer with JSON.`, { provider });
}

/** Reads an answer into blocks until there is more than `limit`. Returns whether there is. */
async function addBytes(
  blocks: BodyBlocks,
  limit: number,
  response: UpstreamResponse,
  provider: string,
  silentMs: number | null = idleMs,
): Promise<boolean> {
  const tooMuch = { done: false };
  const add = (bytes: Uint8Array) => {
    blocks.add(bytes);
    tooMuch.done = blocks.size > limit;
    return undefined;
  };
  await pushBytes(response, provider, add, tooMuch, silentMs);
  return tooMuch.done;
}

/** Reads all bytes of an answer that may be long, up to `limit`. */
export async function wholeBytes(response: UpstreamResponse, provider: string, limit: number): Promise<BodyBlocks> {
  const blocks = new BodyBlocks();
  if (!(await addBytes(blocks, limit, response, provider))) return blocks;
  throw new AppError('upstream_bad_response', `${provider} answered with more than ${limit} bytes.`, { provider });
}

function toJson(blocks: BodyBlocks): unknown {
  const all = blocks.all();
  if (blocks.size > shortJsonBytes) {
    return workerPool.run(jsonAnswerTask, { blocks: all }, all).then(({ value, numbers }) => {
      putExactNumbers(value, numbers);
      return value;
    });
  }
  const [first, ...more] = all;
  const bytes =
    first && more.length === 0 ? Buffer.from(first.buffer, first.byteOffset, first.length) : Buffer.concat(all);
  return parsed(bytes.toString('utf8'));
}

const jsonBytes = 8_388_608;
/** JSON of this length is parsed in a moment, whatever it contains. */
const shortJsonBytes = 65_536;
