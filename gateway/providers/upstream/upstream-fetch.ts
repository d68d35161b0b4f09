import { AppError } from '#shared/errors.ts';
import { readOnTheWay } from '#shared/plain-http.ts';
import { type BodyBlocks, createBodyBlocks } from '../../runtime/body/body-blocks.ts';
import type { StopSignal } from '../../runtime/concurrency/stop-signal.ts';
import { workerPool } from '../../runtime/threads/worker-pool.ts';
import { mayCarrySecrets } from './dispatch-fetch.ts';
import { jsonAnswerTask } from './json-answer-task.ts';
import { unreachableReason, unreachableWords } from './unreachable.ts';
import { readFault, upstreamError } from './upstream-error.ts';
import type { UpstreamBody, UpstreamFetch, UpstreamResponse } from './upstream-response.ts';

interface UpstreamCall {
  readonly provider: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as JSON by POST, bytes as they are; without it the call is a GET. */
  readonly body?: unknown;
  readonly fetch: UpstreamFetch;
  readonly signal: StopSignal;
}

const errorBodyBytes = 65_536;
const errorBodyMs = 5_000;
/** Between two chunks of bytes, comments and pings included, while we listen (wire contract §7). */
const idleMs = 60_000;

/**
 * The one place where the gateway calls out. No redirects, no retries; a status other than 2xx, and a server that cannot
 * be reached, become an `AppError` of an upstream code.
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

/** The last fence, whoever set the address and whosever the key is. Nearly all calls are https and end at the first look. */
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
    const reason = unreachableReason(cause);
    const why = reason === null ? '.' : `: ${unreachableWords[reason]}.`;
    throw new AppError('upstream_unreachable', `${provider} could not be reached${why}`, { provider, cause });
  });

const posted = (headers: UpstreamCall['headers'], body: unknown) => ({
  method: 'POST' as const,
  headers: { ...headers, 'content-type': 'application/json' },
  body: body instanceof Uint8Array ? getBytes(body) : JSON.stringify(body),
});

/** Bytes that were read from a socket are never shared between threads. */
const getBytes = (body: Uint8Array) => body as Uint8Array<ArrayBuffer>;

/** As much of an error's body as is worth reading; nothing where it does not come in time. */
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
    // A broken error body leaves the status, which says enough.
  } finally {
    clearTimeout(timer);
    await reader.cancel().catch(() => {});
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function retryAfter(headers: UpstreamResponse['headers']): { retryAfterMs?: number } {
  const ms = askedWaitMs(headers);
  return ms === null ? {} : { retryAfterMs: ms };
}

/** `retry-after-ms`, else `retry-after` in seconds or as a date. */
function askedWaitMs(headers: UpstreamResponse['headers']): number | null {
  const ms = Number(headers.get('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const text = headers.get('retry-after');
  const seconds = Number(text ?? Number.NaN);
  if (Number.isFinite(seconds) && seconds >= 0) return seconds * 1_000;
  const at = text === null ? Number.NaN : Date.parse(text);
  const from = Date.parse(headers.get('date') ?? '');
  return at > from ? at - from : null;
}

/**
 * The bytes of an answer as they come. A connection that breaks or falls silent is an `AppError`; while its reader is `held`
 * up, the upstream is kept from speaking and is not silent.
 */
export async function* upstreamBytes(
  response: UpstreamResponse,
  provider: string,
  reading: { held: boolean } = { held: false },
  silentMs: number = idleMs,
): AsyncGenerator<Uint8Array> {
  if (!response.body) throw new AppError('upstream_bad_response', `${provider} sent no answer.`, { provider });
  const reader = response.body.getReader();
  let isSilent = false;
  const timer = setTimeout(() => {
    if (reading.held) return;
    isSilent = true;
    void reader.cancel().catch(() => {});
  }, silentMs);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (isSilent) throw silent(provider);
      if (done || !value) return;
      timer.refresh();
      yield value;
      timer.refresh();
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw broken(provider, cause);
  } finally {
    clearTimeout(timer);
    await reader.cancel().catch(() => {});
  }
}

/**
 * Gives the bytes of an answer to `take` until it ends or there are `enough`. While the promise of `take` is open the
 * upstream waits for us, and its time to be silent does not run. A connection that breaks or falls silent is an `AppError`;
 * what `take` throws comes as it is.
 */
export function pushBytes(
  response: UpstreamResponse,
  provider: string,
  take: (bytes: Uint8Array) => Promise<void> | undefined,
  enough: () => boolean,
  silentMs: number | null = idleMs,
): Promise<void> {
  const { body } = response;
  if (body?.pipe) return piped(body, provider, take, enough, silentMs);
  return readThrough(response, provider, take, enough, silentMs);
}

async function readThrough(
  response: UpstreamResponse,
  provider: string,
  take: (bytes: Uint8Array) => Promise<void> | undefined,
  enough: () => boolean,
  silentMs: number | null,
): Promise<void> {
  const reading = { held: silentMs === null };
  for await (const bytes of upstreamBytes(response, provider, reading, silentMs ?? idleMs)) {
    const waits = take(bytes);
    reading.held = waits !== undefined;
    if (waits !== undefined) await waits;
    reading.held = silentMs === null;
    if (enough()) return;
  }
}

function piped(
  body: UpstreamBody,
  provider: string,
  take: (bytes: Uint8Array) => Promise<void> | undefined,
  enough: () => boolean,
  silentMs: number | null,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let over = false;
  let waits = false;
  const finish = (settle: () => void) => {
    if (over) return;
    over = true;
    clearTimeout(timer);
    void body.cancel().then(settle, settle);
  };
  const fail = (error: unknown) => finish(() => reject(error));
  const timer = silentMs === null ? undefined : setTimeout(() => waits || fail(silent(provider)), silentMs);
  const goOn = () => {
    waits = false;
    if (enough()) finish(resolve);
    else timer?.refresh();
  };
  const value = (bytes: Uint8Array): Promise<void> | undefined => {
    if (over) return undefined;
    try {
      const taken = take(bytes);
      waits = taken !== undefined;
      if (taken !== undefined) return taken.then(goOn, fail);
      goOn();
    } catch (error) {
      fail(error);
    }
    return undefined;
  };
  const end = () => {
    if (over) return;
    over = true;
    clearTimeout(timer);
    resolve();
  };
  body.pipe?.({ value, end, fail: (cause) => fail(broken(provider, cause)) });
  return promise;
}

const silent = (provider: string) =>
  new AppError('upstream_timeout', `${provider} fell silent in the middle of its answer.`, { provider });

const broken = (provider: string, cause: unknown) =>
  new AppError('upstream_truncated', `${provider} broke the connection off.`, { provider, cause });

/** Reads a JSON answer that is no stream, at most 8 MiB of it: a short one here, a long one on a thread of its own. */
export const readJson = (response: UpstreamResponse, provider: string): Promise<unknown> =>
  jsonWithin(jsonBytes, response, provider, idleMs);

/**
 * Reads a whole answer to a chat, at most 8 MiB of it unless more is said. How long it may be silent is not limited here: it is silent for as long as
 * the model writes.
 */
export const wholeJson = (response: UpstreamResponse, provider: string, most = 0): Promise<unknown> =>
  jsonWithin(Math.max(jsonBytes, most), response, provider, null);

async function jsonWithin(
  limit: number,
  response: UpstreamResponse,
  provider: string,
  silentMs: number | null,
): Promise<unknown> {
  const blocks = createBodyBlocks();
  const tooMuch = () => blocks.size > limit;
  await pushBytes(response, provider, (bytes) => void blocks.add(bytes), tooMuch, silentMs);
  const read = tooMuch() ? null : toJson(blocks);
  const value = read instanceof Promise ? await read : read;
  if (value !== null) return value;
  throw new AppError('upstream_bad_response', `${provider} did not answer with JSON.`, { provider });
}

/** All bytes of an answer that may be long, at most so many. */
export async function wholeBytes(response: UpstreamResponse, provider: string, limit: number): Promise<BodyBlocks> {
  const blocks = createBodyBlocks();
  const tooMuch = () => blocks.size > limit;
  await pushBytes(response, provider, (bytes) => void blocks.add(bytes), tooMuch);
  if (!tooMuch()) return blocks;
  throw new AppError('upstream_bad_response', `${provider} answered with more than ${limit} bytes.`, { provider });
}

function toJson(blocks: BodyBlocks): unknown {
  const all = blocks.all();
  if (blocks.size > shortJsonBytes) return workerPool.run(jsonAnswerTask, { blocks: all }, all);
  const [first, ...more] = all;
  const bytes =
    first && more.length === 0 ? Buffer.from(first.buffer, first.byteOffset, first.length) : Buffer.concat(all);
  return parsed(bytes.toString('utf8'));
}

const jsonBytes = 8_388_608;
/** So much is read in a moment, whatever it holds. */
const shortJsonBytes = 65_536;
