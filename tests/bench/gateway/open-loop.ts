import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { exchange, open, type Sample, type Target } from './connection.ts';

/**
 * When requests arrive: by chance, as many a second on average (a Poisson process), in milliseconds from the start. From a
 * fixed seed, so that whoever is asked as often is asked at the same moments.
 */
export function arrivals(perSecond: number, durationMs: number): number[] {
  const times: number[] = [];
  let state = 1;
  for (let at = 0; ; ) {
    state = (state * 48_271) % 2_147_483_647;
    at -= (Math.log(state / 2_147_483_647) * 1000) / perSecond;
    if (at >= durationMs) return times;
    times.push(at);
  }
}

/**
 * From which moment a request's time counts: from when it was due, however late it was sent, or a stall would hide the
 * requests that it kept from being sent. Less what the timer of this process is coarse, at most a millisecond.
 */
export const countedFrom = (dueMs: number, wokeMs: number): number => Math.min(wokeMs, dueMs + timerMs);
const timerMs = 1;

/** Sends each request when it is due, whether or not those before were answered; a new connection where none is free. */
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
    // One that lay idle may have been closed by the server meanwhile: no answer and no end would come from it.
    while (socket?.destroyed) socket = free[instance]?.pop();
    socket ??= await open(target.ports[instance] ?? 0);
    const { sample, reusable } = await exchange(socket, requests[index % requests.length] ?? Buffer.alloc(0), from);
    if (reusable) free[instance]?.push(socket);
    else socket.destroy();
    return sample;
  };
  for (const at of arrivals(load.perSecond, load.durationMs)) {
    const due = began + at;
    while (performance.now() < due) await pause(Math.max(1, due - performance.now()));
    running.push(send(running.length, countedFrom(due, performance.now())));
  }
  const samples = await Promise.all(running);
  for (const socket of free.flat()) socket.destroy();
  return samples;
}
