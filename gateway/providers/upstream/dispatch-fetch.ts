import { isIP } from 'node:net';
import type { Dispatcher } from 'undici';
import type { Sink } from '../../runtime/concurrency/sink.ts';
import type { StopSignal } from '../../runtime/concurrency/stop-signal.ts';
import type {
  UpstreamBody,
  UpstreamFetch,
  UpstreamInit,
  UpstreamReader,
  UpstreamResponse,
} from './upstream-response.ts';

/**
 * Maximum number of bytes that wait for their reader before the upstream is paused. It's resumed only when none are
 * waiting: on each resume, undici reads another 64 KiB before it hands on what it has. With a smaller step, its own
 * buffer would grow without end.
 */
const aheadBytes = 65_536;
/**
 * After the end of an answer its connection gets this much time, and this many bytes, to end normally. Then it can be
 * reused.
 */
const lingerMs = 1_000;
const lingerBytes = 65_536;

/**
 * Calls upstreams through undici's dispatcher. This avoids the web streams and the `Request` object of `fetch`, and
 * needs one listener per call.
 */
export function createDispatchFetch(dispatcher: Pick<Dispatcher, 'dispatch'>): UpstreamFetch {
  const addresses = new Map<string, { origin: string; path: string }>();
  const getAddress = (url: string) => {
    const known = addresses.get(url);
    if (known) return known;
    const { origin, pathname, search } = new URL(url);
    const address = { origin, path: `${pathname}${search}` };
    if (addresses.size >= 1_000) addresses.clear();
    addresses.set(url, address);
    return address;
  };
  return (url, init) =>
    new Promise((resolve, reject) => {
      if (init.signal.aborted) return reject(init.signal.reason);
      const { origin, path } = getAddress(url);
      const { method, headers, body } = init;
      const call = new Call(init, resolve, reject);
      dispatcher.dispatch({ origin, path, method, headers, body: body ?? null }, call);
    });
}

const toError = ({ reason }: StopSignal) => (reason instanceof Error ? reason : new Error(String(reason)));

type Read = Awaited<ReturnType<UpstreamReader['read']>>;
type Fields = Record<string, string | string[] | undefined>;
const atEnd: Read = { done: true };

/** One call and its answer. undici calls it as a handler on one side, and a reader uses it on the other. */
class Call implements Dispatcher.DispatchHandler, UpstreamResponse, UpstreamBody, UpstreamReader {
  status = 0;
  readonly headers = { get: (name: string) => this.#header(name) };
  readonly #signal: StopSignal;
  readonly #resolve: (response: UpstreamResponse) => void;
  readonly #reject: (error: unknown) => void;
  #pieces: Uint8Array[] = [];
  #fields: Fields = {};
  #controller: Dispatcher.DispatchController | null = null;
  #waiting: { resolve: (read: Read) => void; reject: (error: unknown) => void } | null = null;
  #sink: Sink<Uint8Array> | null = null;
  /** True while the sink's promise is pending. */
  #held = false;
  #size = 0;
  #ended = false;
  #discarding = false;
  #linger: NodeJS.Timeout | undefined;
  #failure: { readonly error: unknown } | null = null;

  constructor({ signal }: UpstreamInit, resolve: Call['accept'], reject: (error: unknown) => void) {
    this.#signal = signal;
    this.#resolve = resolve;
    this.#reject = reject;
    signal.addEventListener('abort', this.#stop, { once: true });
  }

  /** Runs when the caller aborts the call. */
  readonly #stop = (): void => {
    this.#controller?.abort(toError(this.#signal));
  };

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#signal.aborted) controller.abort(toError(this.#signal));
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: Fields): void {
    if (status < 200) return;
    // undici would keep the raw headers, and the memory they were read into, for as long as the answer takes.
    controller.rawHeaders = null;
    this.status = status;
    this.#fields = headers;
    this.accept(this);
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Uint8Array): void {
    if (this.#discarding) {
      this.#size += piece.byteLength;
      if (this.#size > lingerBytes) controller.abort(new Error('the rest is not wanted'));
      return;
    }
    const waiting = this.#waiting;
    if (waiting) {
      this.#waiting = null;
      waiting.resolve({ done: false, value: piece });
      return;
    }
    // One read of the socket brings many pieces. The sink gets them together, after undici has handed over the last of
    // them.
    if (this.#sink && this.#pieces.length === 0) queueMicrotask(() => this.#flow());
    this.#pieces.push(piece);
    this.#size += piece.byteLength;
    if (this.#size > aheadBytes) controller.pause();
  }

  /** Removes the oldest piece that waits for its reader. */
  #next(): Uint8Array | undefined {
    const piece = this.#pieces.shift();
    if (piece) this.#size -= piece.byteLength;
    return piece;
  }

  #resume(): void {
    if (this.#controller?.paused) this.#controller.resume();
  }

  onResponseEnd(): void {
    this.#over();
    this.#waiting?.resolve(atEnd);
    this.#waiting = null;
    this.#flow();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#over();
    this.#failure = { error };
    this.#waiting?.reject(error);
    this.#waiting = null;
    this.#reject(error);
    this.#flow();
  }

  accept(response: UpstreamResponse): void {
    this.#resolve(response);
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  get body(): UpstreamBody {
    return this;
  }

  getReader(): UpstreamReader {
    return this;
  }

  pipe(sink: Sink<Uint8Array>): void {
    this.#sink = sink;
    this.#flow();
  }

  /** Hands all waiting bytes to the sink, and the end after them, unless the sink asks to wait. */
  #flow(): void {
    const sink = this.#sink;
    if (!sink || this.#held) return;
    if (this.#pieces.length > 0) {
      const [only] = this.#pieces;
      const bytes = only && this.#pieces.length === 1 ? only : Buffer.concat(this.#pieces, this.#size);
      this.#pieces = [];
      this.#size = 0;
      const waits = sink.value(bytes);
      if (waits && !this.#discarding) this.#hold(waits);
    }
    if (this.#held || this.#discarding) return;
    if (!this.#ended) {
      if (this.#controller?.paused) this.#controller.resume();
      return;
    }
    this.#sink = null;
    if (this.#failure) sink.fail(this.#failure.error);
    else sink.end();
  }

  /** Hands over nothing until this promise is settled. */
  #hold(waits: Promise<void>): void {
    this.#held = true;
    const goOn = () => {
      this.#held = false;
      this.#flow();
    };
    waits.then(goOn, goOn);
  }

  async read(): Promise<Read> {
    const piece = this.#next();
    if (piece) {
      if (this.#pieces.length === 0) this.#resume();
      return { done: false, value: piece };
    }
    if (this.#failure) throw this.#failure.error;
    if (this.#ended) return atEnd;
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  /** Lets an answer whose last event was read end normally, so that its connection can be reused. */
  async cancel(): Promise<void> {
    this.#waiting?.resolve(atEnd);
    this.#waiting = null;
    if (this.#ended || this.#discarding) return;
    this.#discarding = true;
    this.#sink = null;
    this.#pieces.length = 0;
    this.#size = 0;
    this.#resume();
    this.#linger = setTimeout(() => this.#controller?.abort(new Error('the rest is not wanted')), lingerMs);
    this.#linger.unref();
  }

  #over(): void {
    this.#ended = true;
    clearTimeout(this.#linger);
    this.#signal.removeEventListener('abort', this.#stop);
  }

  #header(name: string): string | null {
    const value = this.#fields[name];
    return value === undefined ? null : Array.isArray(value) ? value.join(', ') : value;
  }
}

/**
 * True if a host is this computer: `127.0.0.0/8`, `::1` or `localhost`, as the URL parser writes them. Other spellings
 * (mapped addresses, `0.0.0.0`, names below `localhost`, a dot at the end) don't count, because some systems resolve
 * them to another machine.
 */
export function isLoopback(hostname: string): boolean {
  if (hostname === 'localhost' || hostname === '[::1]') return true;
  return isIP(hostname) === 4 && hostname.startsWith('127.');
}

/** True if a key or another secret may be sent to an address: by https, or without leaving this computer. */
export function mayCarrySecrets(address: URL | string): boolean {
  if (typeof address === 'string') return getVerdict(address);
  const { protocol, hostname } = address;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

/** Results are cached, because every request to a server on this computer checks the same few addresses. */
const verdicts = new Map<string, boolean>();
const maxVerdicts = 1_000;

function getVerdict(address: string): boolean {
  const known = verdicts.get(address);
  if (known !== undefined) return known;
  if (verdicts.size >= maxVerdicts) verdicts.clear();
  const verdict = URL.canParse(address) && mayCarrySecrets(new URL(address));
  verdicts.set(address, verdict);
  return verdict;
}
