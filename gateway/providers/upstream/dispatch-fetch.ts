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
 * Bytes that may wait for their reader before the upstream is made to wait too. The upstream goes on only when none wait any
 * more: each time it does, undici reads another 64 KiB before it hands on what it has, so that for a smaller turn than that
 * its own buffer would grow without end.
 */
const aheadBytes = 65_536;
/** After the last word a connection gets this long, and this much, to end by itself: then it can be used again. */
const lingerMs = 1_000;
const lingerBytes = 65_536;

/** Calls upstreams through undici's dispatcher: no web streams, no `Request`, one listener a call. */
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

/** One call and its answer: undici's handler on one side, a reader on the other. */
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
  /** The sink has asked to wait. */
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

  /** The caller has stopped the call. */
  readonly #stop = (): void => {
    this.#controller?.abort(toError(this.#signal));
  };

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#signal.aborted) controller.abort(toError(this.#signal));
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: Fields): void {
    if (status < 200) return;
    // They would be kept, with the memory in which they were read, for as long as the answer takes.
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
    // One read of the socket brings many pieces: a sink gets them together, once undici has handed over the last of them.
    if (this.#sink && this.#pieces.length === 0) queueMicrotask(() => this.#flow());
    this.#pieces.push(piece);
    this.#size += piece.byteLength;
    if (this.#size > aheadBytes) controller.pause();
  }

  /** The oldest piece that waits for its reader. */
  #next(): Uint8Array | undefined {
    const piece = this.#pieces.shift();
    if (piece) this.#size -= piece.byteLength;
    return piece;
  }

  /** All that waits, as one. */
  #together(): Uint8Array | undefined {
    const [first, ...more] = this.#pieces;
    const all = more.length > 0 ? Buffer.concat(this.#pieces, this.#size) : first;
    this.#pieces = [];
    this.#size = 0;
    return all;
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

  /** Hands over what waits, and the end after all of it, until the sink asks to wait. */
  #flow(): void {
    const sink = this.#sink;
    if (!sink || this.#held) return;
    const bytes = this.#together();
    if (bytes) this.#holdFor(sink.value(bytes));
    if (this.#held || this.#discarding) return;
    if (!this.#ended) {
      this.#resume();
      return;
    }
    this.#sink = null;
    if (this.#failure) sink.fail(this.#failure.error);
    else sink.end();
  }

  #holdFor(waits: Promise<void> | undefined): void {
    if (!waits || this.#discarding) return;
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

  /** Lets an answer that has said its last word end by itself, so that the connection lives on. */
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
 * Whether this computer itself is meant: `127.0.0.0/8`, `::1` or `localhost`, as the URL parser writes them. Other spellings
 * (mapped addresses, `0.0.0.0`, names below `localhost`, a dot at the end) are not: some systems lead them elsewhere.
 */
export function isLoopback(hostname: string): boolean {
  if (hostname === 'localhost' || hostname === '[::1]') return true;
  return isIP(hostname) === 4 && hostname.startsWith('127.');
}

/** Whether a key or another secret may be sent there: by https, or without leaving this computer. */
export function mayCarrySecrets(address: URL | string): boolean {
  if (typeof address === 'string') return getVerdict(address);
  const { protocol, hostname } = address;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

/** Every request to a server on this computer asks for the same few addresses. */
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
