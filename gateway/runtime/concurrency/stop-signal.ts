/**
 * The platform has `AbortController`. It costs a kilobyte and several microseconds, and a signal with a listener survives young
 * garbage collections together with everything that the listener refers to. `Stop` does the same for the gateway's own code
 * without that. Together with `SlotSet`, a young collection kept 1 MB instead of copying 9 MB into the old heap (decision 023).
 * To check: `stop-signal.test.ts` compares both kinds of signal. For the memory, start `serve` with `--trace-gc` under load.
 */

/** The part of an `AbortSignal` that the gateway reads. Every `AbortSignal` is a `StopSignal`. */
export interface StopSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
  throwIfAborted(): void;
}

/** An `AbortController` and its signal in one object, for what every request has. Each listener is called once. */
export class Stop implements StopSignal {
  aborted = false;
  reason: unknown = undefined;
  #listeners: (() => void)[] = [];

  /** Calls every listener. A second call does nothing. */
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
    const index = this.#listeners.indexOf(listener);
    if (index >= 0) this.#listeners.splice(index, 1);
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }
}

/** Returns an `AbortSignal` for functions of the platform, which accept nothing else. */
export function platformSignal(signal: StopSignal): AbortSignal {
  if (signal instanceof AbortSignal) return signal;
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return controller.signal;
}
