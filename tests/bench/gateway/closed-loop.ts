import { setTimeout as pause } from 'node:timers/promises';
import { exchange, open, type Sample, type Target } from './connection.ts';

/** The requests of a running load between two readings, without its start and end. */
export interface Window<Reading> {
  readonly samples: readonly Sample[];
  /** Bytes of bodies, including answers that had not ended. */
  readonly bytes: number;
  readonly ms: number;
  readonly before: Reading;
  readonly after: Reading;
}

export interface Slice {
  /** Load before the first reading, so that connections are open and the code is warm. */
  readonly warmMs: number;
  readonly measuredMs: number;
}

/** A window can become this many times longer, until every connection could complete an answer in it. */
const maxStretched = 10;
/** A refused client waits, or refusals would make up the load. */
const afterFailureMs = 100;

/**
 * Sends requests over persistent connections, each after the one before on its connection, and
 * takes two readings meanwhile.
 */
export async function closedLoop<Reading>(
  target: Target,
  requests: readonly Buffer[],
  options: Slice & { connections: number; read: () => Reading },
): Promise<Window<Reading>> {
  const samples: Sample[] = [];
  let [bytes, next, stopped] = [0, 0, false];
  const lane = async (index: number) => {
    const port = target.ports[index % target.ports.length] ?? 0;
    let socket = await open(port);
    while (!stopped) {
      const request = requests[next++ % requests.length] ?? Buffer.alloc(0);
      const { sample, reusable } = await exchange(socket, request, performance.now(), (count) => (bytes += count));
      samples.push(sample);
      if (!sample.complete) await pause(afterFailureMs);
      if (reusable) continue;
      socket.destroy();
      socket = await open(port);
    }
    socket.destroy();
  };
  const takeReading = () => ({ at: performance.now(), samples: samples.length, bytes, reading: options.read() });
  const lanes = Promise.all(Array.from({ length: options.connections }, (_, index) => lane(index)));
  const run = async (ms: number) => {
    const enough = samples.length + options.connections;
    await Promise.race([lanes, pause(ms)]);
    for (let stretched = 1; samples.length < enough && stretched < maxStretched; stretched += 1) {
      await Promise.race([lanes, pause(ms)]);
    }
  };
  await run(options.warmMs);
  const first = takeReading();
  await run(options.measuredMs);
  const last = takeReading();
  stopped = true;
  await lanes;
  return {
    samples: samples.slice(first.samples, last.samples),
    bytes: last.bytes - first.bytes,
    ms: last.at - first.at,
    before: first.reading,
    after: last.reading,
  };
}
