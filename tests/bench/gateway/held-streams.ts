import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { open, requestsFor, type Target } from './connection.ts';

const openStreams = 500;
const openAtOnce = 50;
/** A gateway that keeps what its client does not take would fill the machine: it is left after this many looks. */
const maxLooks = 40;
const lookEveryMs = 120;
const firstEventWithinMs = 30_000;

/** Holds streams open that have had their first event, and sees what each costs in memory, in KB. */
export async function memoryPerStream(target: Target, residentKb: () => number): Promise<number> {
  const before = residentKb();
  const requests = requestsFor(target, 'bench-open', true);
  const sockets: Socket[] = [];
  while (sockets.length < openStreams) {
    const turns = Array.from({ length: openAtOnce }, (_, index) => sockets.length + index);
    sockets.push(...(await Promise.all(turns.map((turn) => holdStream(target, requests, turn)))));
  }
  const after = residentKb();
  for (const socket of sockets) socket.destroy();
  return (after - before) / openStreams;
}

/** Stops reading an endless answer, waits until the gateway takes no more of it, and sees what it keeps, in MB. */
export async function memoryOfStalled(target: Target, residentKb: () => number): Promise<number> {
  const before = residentKb();
  const socket = await holdStream(target, requestsFor(target, 'bench-flood', true), 0);
  socket.pause();
  let kept = residentKb();
  for (let calm = 0, look = 0; calm < 5 && look < maxLooks; look += 1) {
    await pause(lookEveryMs);
    const now = residentKb();
    calm = now > kept + 256 ? 0 : calm + 1;
    kept = Math.max(kept, now);
  }
  socket.destroy();
  return (kept - before) / 1024;
}

/** Where the gateway has too much to do at the moment, it is asked again: what a stream costs is the question here. */
async function holdStream(target: Target, requests: readonly Buffer[], turn: number): Promise<Socket> {
  for (let attempt = 1; ; attempt += 1) {
    const socket = await open(target.ports[turn % target.ports.length] ?? 0);
    socket.write(requests[turn % requests.length] ?? '');
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
