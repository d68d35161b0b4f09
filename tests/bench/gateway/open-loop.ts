import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { exchange, open, type Sample, type Target } from './connection.ts';

/**
 * Returns when requests arrive, in milliseconds from the start: at random with this average rate (a Poisson process).
 * The seed is fixed, so the same rate always gives the same moments.
 */
export function arrivals(perSecond: number, durationMs: number): number[] {
  const times: number[] = [];
  let state = 1;
  for (let timeMs = 0; ; ) {
    state = (state * 48_271) % 2_147_483_647;
    timeMs -= (Math.log(state / 2_147_483_647) * 1000) / perSecond;
    if (timeMs >= durationMs) return times;
    times.push(timeMs);
  }
}

/**
 * Returns the moment from which a request's time counts: when it was due, however late it was sent. Otherwise
 * a stall would hide the requests that it delayed. The inaccuracy of this process's timer, at most a
 * millisecond, doesn't count.
 */
export const countedFrom = (dueMs: number, wokeMs: number): number => Math.min(wokeMs, dueMs + timerMs);
const timerMs = 1;

/**
 * Sends each request when it's due, whether or not earlier ones were answered. If no connection
 * is free it opens a new one.
 */
export async function openLoop(
  target: Target,
  requests: readonly Buffer[],
  load: { perSecond: number; durationMs: number },
): Promise<Sample[]> {
  const free: Socket[][] = target.ports.map(() => []);
  const running: Promise<Sample>[] = [];
  const began = performance.now();
  const send = async (index: number, from: number): Promise<Sample> => {
    const instance = index % target.ports.length;
    let socket = free[instance]?.pop();
    // The server may have closed an idle connection meanwhile. It would give neither an answer nor an end.
    while (socket?.destroyed) socket = free[instance]?.pop();
    socket ??= await open(target.ports[instance] ?? 0);
    const { sample, reusable } = await exchange(socket, requests[index % requests.length] ?? Buffer.alloc(0), from);
    if (reusable) free[instance]?.push(socket);
    else socket.destroy();
    return sample;
  };
  for (const timeMs of arrivals(load.perSecond, load.durationMs)) {
    const due = began + timeMs;
    while (performance.now() < due) await pause(Math.max(1, due - performance.now()));
    running.push(send(running.length, countedFrom(due, performance.now())));
  }
  const samples = await Promise.all(running);
  for (const socket of free.flat()) socket.destroy();
  return samples;
}
