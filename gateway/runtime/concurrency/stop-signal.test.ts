import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLeases } from '../../engine/engine.ts';
import { platformSignal, Stop, type StopSignal } from './stop-signal.ts';

/** What both kinds of signal have to do, told by what a listener hears. */
function heardFrom(signal: StopSignal, abort: (reason: unknown) => void): string[] {
  const heard: string[] = [];
  const removed = () => void heard.push('removed');
  signal.addEventListener('abort', () => void heard.push(`first: ${String(signal.reason)}`), { once: true });
  signal.addEventListener('abort', removed, { once: true });
  signal.removeEventListener('abort', removed);
  signal.throwIfAborted();
  abort('gone');
  abort('again');
  signal.addEventListener('abort', () => void heard.push('late'), { once: true });
  try {
    signal.throwIfAborted();
  } catch (error) {
    heard.push(`throws: ${String(error)}`);
  }
  return [...heard, String(signal.aborted), String(signal.reason)];
}

test('a stop does what the platform’s signal does', () => {
  const platform = new AbortController();
  const stop = new Stop();
  const heard = heardFrom(stop, (reason) => stop.abort(reason));
  expect(heard).toEqual(heardFrom(platform.signal, (reason) => platform.abort(reason)));
  expect(heard).toEqual(['first: gone', 'throws: gone', 'true', 'gone']);
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a lease is renewed in every interval until it is given back, and then no timer is left', () => {
  const leases = createLeases(15_000);
  const renewed: string[] = [];
  const giveBackA = leases.keep(() => void renewed.push('a'));
  vi.advanceTimersByTime(10_000);
  const giveBackB = leases.keep(() => void renewed.push('b'));
  vi.advanceTimersByTime(5_000);
  giveBackA();
  vi.advanceTimersByTime(15_000);
  expect(renewed).toEqual(['a', 'b', 'b']);
  giveBackB();
  giveBackB();
  expect(vi.getTimerCount()).toBe(0);
});

test('the platform’s functions get a signal of their own that follows the stop', () => {
  const stop = new Stop();
  const before = platformSignal(stop);
  expect(before.aborted).toBe(false);
  stop.abort('gone');
  expect(before.reason).toBe('gone');
  expect(platformSignal(stop).reason).toBe('gone');
  expect(platformSignal(before)).toBe(before);
});
