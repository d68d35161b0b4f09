import type { Sink } from '../../runtime/concurrency/sink.ts';
import { platformSignal, type StopSignal } from '../../runtime/concurrency/stop-signal.ts';

/**
 * The part of `fetch` that upstream calls need. It's either the platform's own, through `platformFetch`, or the leaner
 * one of the stand-alone server (`dispatch-fetch.ts`).
 */
export type UpstreamFetch = (url: string, init: UpstreamInit) => Promise<UpstreamResponse>;

export interface UpstreamInit {
  readonly method: 'GET' | 'POST';
  readonly headers: Record<string, string>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly redirect: 'manual';
  /** Aborts the call and its answer at once. */
  readonly signal: StopSignal;
}

export interface UpstreamResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: UpstreamBody | null;
}

export interface UpstreamBody {
  getReader(): UpstreamReader;
  /**
   * Passes every piece straight to a sink, in place of a reader. While the sink's promise is pending, nothing is read.
   */
  pipe?(sink: Sink<Uint8Array>): void;
  cancel(): Promise<void>;
}

export interface UpstreamReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  /** Ends the reading, because nobody wants the rest. */
  cancel(): Promise<void>;
}

/** Calls upstreams with the platform's `fetch`. */
export const platformFetch =
  (send: typeof fetch): UpstreamFetch =>
  (url, init) =>
    send(url, { ...init, signal: platformSignal(init.signal) });
