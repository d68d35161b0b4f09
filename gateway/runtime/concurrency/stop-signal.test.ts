import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLeases } from '../../engine/engine.ts';
import { platformSignal, Stop, type StopSignal } from './stop-signal.ts';

/** Returns what a listener observes, which must be the same for both kinds of signal. */
function observe(signal: StopSignal, abort: (reason: unknown) => void): string[] {
  const observed: string[] = [];
  const removed = () => void observed.push('removed');
  signal.addEventListener('abort', () => void observed.push(`first: ${String(signal.reason)}`), { once: true });
  signal.addEventListener('abort', removed, { once: true });
  signal.removeEventListener('abort', removed);
  signal.throwIfAborted();
  abort('gone');
  abort('again');
  signal.addEventListener('abort', () => void observed.push('late'), { once: true });
  try {
    signal.throwIfAborted();
  } catch (error) {
    observed.push(`throws: ${String(error)}`);
  }
  return [...observed, String(signal.aborted), String(signal.reason)];
}

test('a Stop behaves like the platform’s signal', () => {
  const platform = new AbortController();
  const stop = new Stop();
  const observed = observe(stop, (reason) => stop.abort(reason));
  expect(observed).toEqual(observe(platform.signal, (reason) => platform.abort(reason)));
  expect(observed).toEqual(['first: gone', 'throws: gone', 'true', 'gone']);
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a lease is renewed in every interval until it is released, and no timer is left afterwards', () => {
  const leases = createLeases(15_000);
  const renewed: string[] = [];
  const releaseA = leases.keep(() => void renewed.push('a'));
  vi.advanceTimersByTime(10_000);
  const releaseB = leases.keep(() => void renewed.push('b'));
  vi.advanceTimersByTime(5_000);
  releaseA();
  vi.advanceTimersByTime(15_000);
  expect(renewed).toEqual(['a', 'b', 'b']);
  releaseB();
  releaseB();
  expect(vi.getTimerCount()).toBe(0);
});

test('platformSignal returns an AbortSignal that follows the Stop', () => {
  const stop = new Stop();
  const before = platformSignal(stop);
  expect(before.aborted).toBe(false);
  stop.abort('gone');
  expect(before.reason).toBe('gone');
  expect(platformSignal(stop).reason).toBe('gone');
  expect(platformSignal(before)).toBe(before);
});
