import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Contender, contenders } from './contenders.ts';
import { diskSyncMs } from './disk-sync.ts';
import { holdStream, load, median, type Sample, type Target } from './load.ts';
import { cpuMicroseconds, moveTo, type Program, residentKb, start, stop } from './processes.ts';

/**
 * The gateway beside its floors, in one interleaved run: each round starts every contender fresh and puts the same load
 * on it. Medians over the rounds; CPU time is the operating system's and the steadiest figure (performance goals).
 */

const upstreamPort = 18_400;
const firstPort = 18_401;
const loadCore = 1;
const openStreams = 500;

export interface Figures {
  requestsPerSecond: number;
  cpuPerRequestUs: number;
  cpuPerLargeRequestUs: number;
  /** What the gateway adds to the upstream's own time, measured without it in the same round. */
  addedP50Ms: number;
  addedFirstByteP50Ms: number;
  /** What of that is the disk's: one sync of a small append, where the answer waits for one; measured apart. */
  diskSyncMs: number;
  addedP50WithoutSyncMs: number;
  addedFirstByteP50WithoutSyncMs: number;
  cpuPerChunkUs: number;
  kbPerOpenStream: number;
  /** What a client costs that stops reading an answer without end. */
  mbPerStalledClient: number;
  startMs: number;
  incomplete: number;
}

export async function benchGateway(options: { rounds: number; scale: number }): Promise<Map<string, Figures>> {
  moveTo(loadCore);
  const folder = mkdtempSync(join(tmpdir(), 'portico-bench-'));
  const upstream = await start(fileURLToPath(new URL('upstream.ts', import.meta.url)), [String(upstreamPort)], {
    core: loadCore,
    ready: /ready/,
  });
  const rounds = new Map<string, Figures[]>(contenders.map(({ name }) => [name, []]));
  try {
    for (let round = 0; round < options.rounds; round++) {
      for (const [index, contender] of contenders.entries()) {
        const figures = await measure(contender, firstPort + index, folder, options.scale);
        rounds.get(contender.name)?.push(figures);
      }
    }
  } finally {
    await stop(upstream);
    rmSync(folder, { recursive: true, force: true });
  }
  return new Map([...rounds].map(([name, all]) => [name, medians(all)]));
}

async function measure(contender: Contender, port: number, folder: string, scale: number): Promise<Figures> {
  const { program, target } = await contender.start(port, upstreamPort, folder);
  const upstream: Target = { port: upstreamPort, keys: target.keys };
  try {
    const small = body(contender.model, 'bench-0', false);
    const large = body(contender.model, `bench-0 ${'lorem ipsum '.repeat(8_500)}`, false);
    const first = body(contender.model, 'bench-1', true);
    const stream = body(contender.model, 'bench-200', true);
    await load(target, small, { count: 500, connections: 16 });
    // Before the heap has grown under load, or the streams would hide in it.
    const kbPerOpenStream = await memoryPerStream(program, target, contender.model);
    await load(target, small, { count: 2_000 * scale, connections: 64 });
    const busy = await metered(program, () => load(target, small, { count: 6_000 * scale, connections: 64 }));
    await load(target, large, { count: 100 * scale, connections: 16 });
    const big = await metered(program, () => load(target, large, { count: 600 * scale, connections: 16 }));
    await load(target, stream, { count: 32, connections: 16 });
    const chunks = await metered(program, () => load(target, stream, { count: 96 * scale, connections: 16 }));
    const calm = await beside(target, upstream, small, 200 * scale);
    const one = await beside(target, upstream, first, 200 * scale);
    const syncMs = contender.syncsFirst ? await diskSyncMs(join(folder, 'sync')) : 0;
    const mbPerStalledClient = await memoryOfStalled(program, target, contender.model);
    const all = [...busy.samples, ...big.samples, ...calm.ours, ...one.ours, ...chunks.samples];
    return {
      requestsPerSecond: busy.samples.length / (busy.ms / 1000),
      cpuPerRequestUs: busy.cpuUs / busy.samples.length,
      cpuPerLargeRequestUs: big.cpuUs / big.samples.length,
      addedP50Ms: calm.added(({ totalMs }) => totalMs),
      addedFirstByteP50Ms: one.added(({ firstByteMs }) => firstByteMs),
      diskSyncMs: syncMs,
      addedP50WithoutSyncMs: calm.added(({ totalMs }) => totalMs) - syncMs,
      addedFirstByteP50WithoutSyncMs: one.added(({ firstByteMs }) => firstByteMs) - syncMs,
      cpuPerChunkUs: chunks.cpuUs / (chunks.samples.length * 200),
      kbPerOpenStream,
      mbPerStalledClient,
      startMs: program.startMs,
      incomplete: all.filter(({ complete }) => !complete).length,
    };
  } finally {
    await stop(program);
  }
}

/** The same requests one after the other through the gateway and to the upstream itself. */
async function beside(target: Target, upstream: Target, request: Buffer, count: number) {
  const direct = await load(upstream, request, { count, connections: 1 });
  const ours = await load(target, request, { count, connections: 1 });
  const added = (time: (sample: Sample) => number) => median(ours.map(time)) - median(direct.map(time));
  return { ours, added };
}

async function metered(program: Program, work: () => ReturnType<typeof load>) {
  const [before, began] = [cpuMicroseconds(program), performance.now()];
  const samples = await work();
  return { samples, ms: performance.now() - began, cpuUs: cpuMicroseconds(program) - before };
}

/** Holds streams open that have had their first chunk, and sees what they cost in memory. */
async function memoryPerStream(program: Program, target: Target, model: string): Promise<number> {
  const before = residentKb(program);
  const request = body(model, 'bench-open', true);
  const sockets = await Promise.all(
    Array.from({ length: openStreams }, (_, turn) => holdStream(target, request, turn)),
  );
  const after = residentKb(program);
  for (const socket of sockets) socket.destroy();
  return (after - before) / openStreams;
}

/** Stops reading an endless answer, waits until the gateway takes no more of it, and sees what it keeps. */
async function memoryOfStalled(program: Program, target: Target, model: string): Promise<number> {
  const before = residentKb(program);
  const socket = await holdStream(target, body(model, 'bench-flood', true), 0);
  socket.pause();
  let kept = residentKb(program);
  for (let calm = 0, look = 0; calm < 5 && look < 100; look += 1) {
    await pause(200);
    const now = residentKb(program);
    calm = now > kept + 256 ? 0 : calm + 1;
    kept = Math.max(kept, now);
  }
  socket.destroy();
  return (kept - before) / 1024;
}

function body(model: string, content: string, stream: boolean): Buffer {
  return Buffer.from(JSON.stringify({ model, messages: [{ role: 'user', content }], stream }));
}

function medians(all: readonly Figures[]): Figures {
  const names = Object.keys(all[0] ?? {}) as (keyof Figures)[];
  return Object.fromEntries(
    names.map((name) => [name, median(all.map((figures) => figures[name]))]),
  ) as unknown as Figures;
}
