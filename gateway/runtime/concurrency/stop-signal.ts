/** The part of an `AbortSignal` that the gateway reads; every `AbortSignal` is one. */
export interface StopSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
  throwIfAborted(): void;
}

/**
 * An `AbortController` and its signal in one, for what every request has. The platform's costs a kilobyte and several
 * microseconds, and one that has had a listener outlives young collections, with all that the listener refers to: half of
 * what a request leaves behind. Listeners are called once.
 */
export class Stop implements StopSignal {
  aborted = false;
  reason: unknown = undefined;
  #listeners: (() => void)[] = [];

  /** Tells every listener, the first time it is called. */
  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) listener();
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.aborted && !this.#listeners.includes(listener)) this.#listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const at = this.#listeners.indexOf(listener);
    if (at >= 0) this.#listeners.splice(at, 1);
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }
}

/** The same for the platform's own functions, which take nothing else. */
export function platformSignal(signal: StopSignal): AbortSignal {
  if (signal instanceof AbortSignal) return signal;
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return controller.signal;
}
