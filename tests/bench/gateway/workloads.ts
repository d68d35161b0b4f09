import { eventCount } from './answers.ts';
import { closedLoop, type Slice } from './closed-loop.ts';
import { requestsFor, type Sample, type Target } from './connection.ts';
import type { Contestant } from './contenders.ts';
import { cpuMicroseconds } from './cpu.ts';
import type { Figures } from './figures.ts';
import { openLoop } from './open-loop.ts';
import { median, percentile } from './statistics.ts';

/** The surroundings of a contestant while it's under load. */
export interface Place extends Slice {
  /** The upstream itself. Its time without a gateway is subtracted from the gateway's. */
  readonly direct: Target;
  /** The duration of one small append to the disk of the ledger. */
  readonly diskSyncMs: number;
  /** The rate of the open loop. */
  readonly halfLoadPerSecond: number;
}

/** Puts a contestant under load and returns its figures. Failed requests are passed to `failed`. */
export type Workload = (
  subject: Contestant,
  place: Place,
  failed: (samples: readonly Sample[]) => void,
) => Promise<Figures>;

const smallPrompt = 'Which of these numbers is right, and why? '.repeat(24);
const largePrompt = 'lorem ipsum '.repeat(8_500);

const busy: Workload = async (subject, place, failed) => {
  const seen = await metered(subject, requestsFor(subject.target, smallPrompt, false), place, 64);
  failed(seen.samples);
  const { requestsPerSecond, cpuUs, databaseCpuUs } = seen;
  return {
    requestsPerSecond,
    cpuPerRequestUs: cpuUs / seen.answered,
    ...(databaseCpuUs === null ? {} : { databaseCpuPerRequestUs: databaseCpuUs / seen.answered }),
  };
};

const single: Workload = async (subject, place, failed) => {
  const { own, addedMs } = await beside(subject, smallPrompt, false, place, ({ totalMs }) => totalMs);
  failed(own);
  const times = own.map(({ totalMs }) => totalMs);
  return {
    oneP50Ms: median(times),
    oneP99Ms: percentile(times, 0.99),
    addedP50Ms: addedMs,
    addedP50WithoutSyncMs: addedMs - (subject.syncsFirst ? place.diskSyncMs : 0),
  };
};

const large: Workload = async (subject, place, failed) => {
  const seen = await metered(subject, requestsFor(subject.target, largePrompt, false), place, 16);
  failed(seen.samples);
  return { largeRequestsPerSecond: seen.requestsPerSecond, cpuPerLargeRequestUs: seen.cpuUs / seen.answered };
};

const flat: Workload = async (subject, place, failed) => {
  const { events, ms, cpuUs } = await streams(subject, 'bench-flat', place, failed);
  return { flatEventsPerSecond: events / (ms / 1000), cpuPerFlatEventUs: cpuUs / events };
};

const paced: Workload = async (subject, place, failed) => {
  const { events, cpuUs } = await streams(subject, 'bench-paced', place, failed);
  return { cpuPerPacedEventUs: cpuUs / events };
};

const firstByte: Workload = async (subject, place, failed) => {
  const { own, addedMs } = await beside(subject, 'bench-flat', true, place, ({ firstByteMs }) => firstByteMs);
  failed(own);
  return {
    firstByteP50Ms: median(own.map(({ firstByteMs }) => firstByteMs)),
    addedFirstByteP50Ms: addedMs,
    addedFirstByteWithoutSyncMs: addedMs - (subject.syncsFirst ? place.diskSyncMs : 0),
  };
};

const halfLoad: Workload = async ({ target }, place, failed) => {
  const load = { perSecond: place.halfLoadPerSecond, durationMs: place.warmMs + place.measuredMs };
  const samples = await openLoop(target, requestsFor(target, smallPrompt, false), load);
  failed(samples);
  const times = samples.map(({ totalMs }) => totalMs);
  return {
    halfLoadPerSecond: place.halfLoadPerSecond,
    halfLoadP50Ms: median(times),
    halfLoadP99Ms: percentile(times, 0.99),
  };
};

/** The order matters: the first one determines how much half a load is. */
export const workloads: readonly Workload[] = [busy, single, large, flat, paced, firstByte, halfLoad];

/** Brings fresh programs to their final speed. Each needs as many requests for that as one alone. */
export async function warmUp({ target, programs }: Contestant, warmMs: number): Promise<void> {
  const measuredMs = warmMs * programs.length;
  const slice = { warmMs: 0, measuredMs, read: () => null };
  await closedLoop(target, requestsFor(target, smallPrompt, false), { ...slice, connections: 64 });
  await closedLoop(target, requestsFor(target, 'bench-flat', true), {
    ...slice,
    measuredMs: measuredMs / 2,
    connections: 16,
  });
}

async function metered(subject: Contestant, requests: readonly Buffer[], slice: Slice, connections: number) {
  const read = () => ({
    own: subject.programs.reduce((sum, { id }) => sum + cpuMicroseconds(id), 0),
    database: subject.databaseId === null ? null : cpuMicroseconds(subject.databaseId),
  });
  const seen = await closedLoop(subject.target, requests, { ...slice, connections, read });
  const answered = seen.samples.filter(({ complete }) => complete).length;
  return {
    ...seen,
    answered,
    requestsPerSecond: answered / (seen.ms / 1000),
    cpuUs: seen.after.own - seen.before.own,
    databaseCpuUs: seen.after.database === null ? null : seen.after.database - (seen.before.database ?? 0),
  };
}

/**
 * Counts events by bytes. Counting ended streams would depend on whether a group that runs in step ends just before or
 * just after the last reading.
 */
async function streams(subject: Contestant, content: string, place: Place, failed: (all: readonly Sample[]) => void) {
  const { samples, bytes, ms, cpuUs } = await metered(subject, requestsFor(subject.target, content, true), place, 16);
  failed(samples);
  const bytesOfOne = median(samples.filter(({ complete }) => complete).map((sample) => sample.bytes));
  return { events: (bytes / bytesOfOne) * eventCount, ms, cpuUs };
}

/** Sends the same requests one after another through the gateway and, right before, to the upstream itself. */
async function beside(
  subject: Contestant,
  content: string,
  stream: boolean,
  place: Place,
  time: (sample: Sample) => number,
) {
  const alone = { connections: 1, read: () => null };
  const onUpstream = { ...alone, warmMs: place.warmMs / 2, measuredMs: place.measuredMs / 4 };
  const direct = await closedLoop(place.direct, requestsFor(place.direct, content, stream), onUpstream);
  const through = await closedLoop(subject.target, requestsFor(subject.target, content, stream), {
    ...alone,
    ...place,
  });
  const addedMs = median(through.samples.map(time)) - median(direct.samples.map(time));
  return { own: through.samples, addedMs };
}
