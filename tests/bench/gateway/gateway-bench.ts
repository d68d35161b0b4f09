import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Contender, contenders } from './contenders.ts';
import { load, median, type Target } from './load.ts';
import { cpuMicroseconds, type Program, residentKb, start, stop } from './processes.ts';

/**
 * The gateway beside its floors, in one interleaved run: each round starts every contender fresh and puts the same load
 * on it. Medians over the rounds; CPU time is the operating system's and the steadiest figure (performance goals).
 */

const upstreamPort = 18_400;
const firstPort = 18_401;

export interface Figures {
  requestsPerSecond: number;
  cpuPerRequestUs: number;
  cpuPerLargeRequestUs: number;
  totalP50Ms: number;
  firstByteP50Ms: number;
  cpuPerChunkUs: number;
  kbPerOpenStream: number;
  startMs: number;
  incomplete: number;
}

export async function benchGateway(options: { rounds: number; scale: number }): Promise<Map<string, Figures>> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-bench-'));
  const upstream = await start(fileURLToPath(new URL('upstream.ts', import.meta.url)), [String(upstreamPort)], {
    core: 1,
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
  try {
    const small = body(contender.model, 'bench-0', false);
    const large = body(contender.model, `bench-0 ${'lorem ipsum '.repeat(8_500)}`, false);
    const stream = body(contender.model, 'bench-200', true);
    await load(target, small, { count: 400 * scale, connections: 16 });
    // Before the heap has grown under load, or the streams would hide in it.
    const kbPerOpenStream = await memoryPerStream(program, target, contender.model);
    const busy = await metered(program, () => load(target, small, { count: 3_000 * scale, connections: 64 }));
    const big = await metered(program, () => load(target, large, { count: 300 * scale, connections: 16 }));
    const calm = await load(target, small, { count: 300 * scale, connections: 1 });
    const one = await load(target, body(contender.model, 'bench-1', true), { count: 300 * scale, connections: 1 });
    const chunks = await metered(program, () => load(target, stream, { count: 100 * scale, connections: 8 }));
    const all = [...busy.samples, ...big.samples, ...calm, ...one, ...chunks.samples];
    return {
      requestsPerSecond: busy.samples.length / (busy.ms / 1000),
      cpuPerRequestUs: busy.cpuUs / busy.samples.length,
      cpuPerLargeRequestUs: big.cpuUs / big.samples.length,
      totalP50Ms: median(calm.map(({ totalMs }) => totalMs)),
      firstByteP50Ms: median(one.map(({ firstByteMs }) => firstByteMs)),
      cpuPerChunkUs: chunks.cpuUs / (chunks.samples.length * 200),
      kbPerOpenStream,
      startMs: program.startMs,
      incomplete: all.filter(({ complete }) => !complete).length,
    };
  } finally {
    await stop(program);
  }
}

async function metered(program: Program, work: () => ReturnType<typeof load>) {
  const [before, began] = [cpuMicroseconds(program), performance.now()];
  const samples = await work();
  return { samples, ms: performance.now() - began, cpuUs: cpuMicroseconds(program) - before };
}

/** Holds streams open that have had their first chunk, and sees what they cost in memory. */
async function memoryPerStream(program: Program, target: Target, model: string): Promise<number> {
  const count = 200;
  const gone = new AbortController();
  const before = residentKb(program);
  await Promise.all(
    Array.from({ length: count }, async () => {
      const response = await fetch(`http://127.0.0.1:${target.port}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${target.key}`, 'content-type': 'application/json' },
        body: new Uint8Array(body(model, 'bench-open', true)),
        signal: gone.signal,
      });
      await response.body?.getReader().read();
    }),
  );
  const after = residentKb(program);
  gone.abort();
  return (after - before) / count;
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
