/**
 * Everything that is measured of a contender. Each label names the load, because a figure
 * without its load means nothing.
 */
export const figures = {
  requestsPerSecond: { label: 'requests/s: whole answers, 1 KB prompt, 64 connections', digits: 0 },
  cpuPerRequestUs: { label: 'CPU µs a request: whole answers, 1 KB prompt, 64 connections', digits: 0 },
  databaseCpuPerRequestUs: {
    label: 'database CPU µs a request: whole answers, 1 KB prompt, 64 connections',
    digits: 0,
  },
  oneP50Ms: { label: 'p50 ms: whole answers, 1 KB prompt, 1 connection', digits: 2 },
  oneP99Ms: { label: 'p99 ms: whole answers, 1 KB prompt, 1 connection', digits: 2 },
  addedP50Ms: { label: 'added p50 ms: whole answers, 1 KB prompt, 1 connection', digits: 2 },
  addedP50WithoutSyncMs: {
    label: 'added p50 ms less one disk sync: whole answers, 1 KB prompt, 1 connection',
    digits: 2,
  },
  largeRequestsPerSecond: { label: 'requests/s: whole answers, 100 KB prompt, 16 connections', digits: 0 },
  cpuPerLargeRequestUs: { label: 'CPU µs a request: whole answers, 100 KB prompt, 16 connections', digits: 0 },
  flatEventsPerSecond: { label: 'events/s: streams of 100 events flat out, 16 connections', digits: 0 },
  cpuPerFlatEventUs: { label: 'CPU µs an event: streams of 100 events flat out, 16 connections', digits: 1 },
  cpuPerPacedEventUs: { label: 'CPU µs an event: one each 2 ms, 16 streams', digits: 1 },
  firstByteP50Ms: { label: 'first byte p50 ms: streams flat out, 1 connection', digits: 2 },
  addedFirstByteP50Ms: { label: 'added first byte p50 ms: streams flat out, 1 connection', digits: 2 },
  addedFirstByteWithoutSyncMs: {
    label: 'added first byte p50 ms less one disk sync: streams flat out, 1 connection',
    digits: 2,
  },
  halfLoadPerSecond: { label: 'open loop, requests/s asked: half of its own most', digits: 0 },
  halfLoadP50Ms: { label: 'p50 ms: open loop at half of its own most, from when the request was due', digits: 2 },
  halfLoadP99Ms: { label: 'p99 ms: open loop at half of its own most, from when the request was due', digits: 2 },
  kbPerOpenStream: { label: 'KB an open idle stream, 500 of them', digits: 0 },
  mbPerStalledClient: { label: 'MB for a client that stops reading an endless answer', digits: 1 },
  startMs: { label: 'ms from start to the first answer', digits: 0 },
  incomplete: { label: 'requests failed or cut short, of all', digits: 0 },
} as const;

export type FigureName = keyof typeof figures;
export type Figures = Partial<Record<FigureName, number>>;
export const figureNames = Object.keys(figures) as FigureName[];

/** The figures of one contender in one round, next to raw-meter's in the adjacent slices of time. */
export interface Comparison {
  readonly contender: string;
  readonly round: number;
  readonly own: Figures;
  readonly meter: Figures;
}
