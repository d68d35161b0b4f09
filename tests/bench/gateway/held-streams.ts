import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { open, requestsFor, type Target } from './connection.ts';

const openStreams = 500;
const openAtOnce = 50;
/**
 * A gateway that buffers everything its client doesn't read would fill the machine's memory, so this
 * stops after that many readings.
 */
const maxReadings = 40;
const readingEveryMs = 120;
const firstEventWithinMs = 30_000;

/** Holds streams open that have received their first event, and returns the memory that each takes, in KB. */
export async function memoryPerStream(target: Target, residentKb: () => number): Promise<number> {
  const before = residentKb();
  const requests = requestsFor(target, 'bench-open', true);
  const sockets: Socket[] = [];
  while (sockets.length < openStreams) {
    const turns = Array.from({ length: openAtOnce }, (_, index) => sockets.length + index);
    sockets.push(...(await Promise.all(turns.map((index) => holdStream(target, requests, index)))));
  }
  const after = residentKb();
  for (const socket of sockets) socket.destroy();
  return (after - before) / openStreams;
}

/**
 * Stops reading an endless answer, waits until the gateway accepts no more of it, and returns the
 * memory that it takes, in MB.
 */
export async function memoryOfStalled(target: Target, residentKb: () => number): Promise<number> {
  const before = residentKb();
  const socket = await holdStream(target, requestsFor(target, 'bench-flood', true), 0);
  socket.pause();
  let residentNow = residentKb();
  for (let calm = 0, reading = 0; calm < 5 && reading < maxReadings; reading += 1) {
    await pause(readingEveryMs);
    const now = residentKb();
    calm = now > residentNow + 256 ? 0 : calm + 1;
    residentNow = Math.max(residentNow, now);
  }
  socket.destroy();
  return (residentNow - before) / 1024;
}

/** A gateway that is busy at the moment gets the request again: only the memory of a stream matters here. */
async function holdStream(target: Target, requests: readonly Buffer[], index: number): Promise<Socket> {
  for (let attempt = 1; ; attempt += 1) {
    const socket = await open(target.ports[index % target.ports.length] ?? 0);
    socket.write(requests[index % requests.length] ?? '');
    let seen = '';
    while (!seen.includes('data: ') && !refused.test(seen)) {
      const [part] = (await once(socket, 'data', { signal: AbortSignal.timeout(firstEventWithinMs) })) as [Buffer];
      seen += part.toString('latin1');
    }
    if (!refused.test(seen)) return socket;
    socket.destroy();
    if (attempt === maxAttempts) throw new Error(`a stream was refused: ${seen}`);
    await pause(askAgainMs);
  }
}

const refused = /^HTTP\/1.1 [^2]/;
const maxAttempts = 10;
const askAgainMs = 1000;
