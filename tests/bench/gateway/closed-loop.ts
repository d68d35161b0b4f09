import { setTimeout as pause } from 'node:timers/promises';
import { exchange, open, type Sample, type Target } from './connection.ts';

/** What was seen between two looks at a running load, its start and its end left out. */
export interface Window<Reading> {
  readonly samples: readonly Sample[];
  /** Of bodies, also of answers that had not ended. */
  readonly bytes: number;
  readonly ms: number;
  readonly before: Reading;
  readonly after: Reading;
}

export interface Slice {
  /** Load before the first look, so that connections are open and the code is warm. */
  readonly warmMs: number;
  readonly measuredMs: number;
}

/** A window is made longer, up to so many times, until every connection could have had its answer in it. */
const maxStretched = 10;
/** A client that is refused waits, or refusals would be the load. */
const afterFailureMs = 100;

/** Sends requests over kept-alive connections, each after the one before on its connection, and looks twice meanwhile. */
export async function closedLoop<Reading>(
  target: Target,
  requests: readonly Buffer[],
  options: Slice & { connections: number; read: () => Reading },
): Promise<Window<Reading>> {
  const samples: Sample[] = [];
  let [bytes, turn, stopped] = [0, 0, false];
  const lane = async (index: number) => {
    const port = target.ports[index % target.ports.length] ?? 0;
    let socket = await open(port);
    while (!stopped) {
      const request = requests[turn++ % requests.length] ?? Buffer.alloc(0);
      const { sample, reusable } = await exchange(socket, request, performance.now(), (count) => (bytes += count));
      samples.push(sample);
      if (!sample.complete) await pause(afterFailureMs);
      if (reusable) continue;
      socket.destroy();
      socket = await open(port);
    }
    socket.destroy();
  };
  const look = () => ({ at: performance.now(), samples: samples.length, bytes, reading: options.read() });
  const lanes = Promise.all(Array.from({ length: options.connections }, (_, index) => lane(index)));
  const run = async (ms: number) => {
    const enough = samples.length + options.connections;
    await Promise.race([lanes, pause(ms)]);
    for (let more = 1; samples.length < enough && more < maxStretched; more += 1) {
      await Promise.race([lanes, pause(ms)]);
    }
  };
  await run(options.warmMs);
  const first = look();
  await run(options.measuredMs);
  const last = look();
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
