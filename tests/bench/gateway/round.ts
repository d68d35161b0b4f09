import { join } from 'node:path';
import type { Reporter } from '../rows.ts';
import type { Sample, Target } from './connection.ts';
import { type Contestant, floor } from './contenders.ts';
import { residentKb } from './cpu.ts';
import { diskSyncMs } from './disk-sync.ts';
import type { Comparison, Figures } from './figures.ts';
import { memoryOfStalled, memoryPerStream } from './held-streams.ts';
import { type Workload, warmUp, workloads } from './workloads.ts';

/** How long the phases of a run take. */
export interface Pace {
  readonly warmUpMs: number;
  readonly warmMs: number;
  readonly measuredMs: number;
}

interface RoundOptions {
  readonly round: number;
  readonly direct: Target;
  readonly folder: string;
  readonly pace: Pace;
  readonly reporter: Pick<Reporter, 'doing'>;
}

/**
 * Measures one round: first the memory of the fresh programs, then load after load. In each, a contender's slice of
 * time is next to one of the floor's, so that other work on the machine affects both.
 */
export async function measureRound(running: readonly Contestant[], options: RoundOptions): Promise<Comparison[]> {
  const meter = running.find(({ name }) => name === floor);
  if (!meter) throw new Error(`${floor} does not run`);
  const alone = new Map<string, Figures>();
  for (const subject of running) {
    options.reporter.doing(`${subject.name}: warming up, and what memory it takes`);
    alone.set(subject.name, await measureAlone(subject, options.pace));
  }
  const syncMs = await diskSyncMs(join(options.folder, 'sync'));
  const comparisons = running.map((subject) => {
    const beside = { ...alone.get(floor) };
    const own = subject === meter ? beside : { ...alone.get(subject.name) };
    return { subject, comparison: { contender: subject.name, round: options.round, own, meter: beside } };
  });
  for (const workload of workloads) {
    for (const { subject, comparison } of comparisons) {
      options.reporter.doing(`${subject.name}: ${workload.name}`);
      const halfLoadPerSecond = (comparison.own.requestsPerSecond ?? 0) / 2;
      const place = { ...options.pace, direct: options.direct, diskSyncMs: syncMs, halfLoadPerSecond };
      add(comparison.meter, await counted(workload, meter, place));
      if (subject !== meter) add(comparison.own, await counted(workload, subject, place));
    }
  }
  return comparisons.map(({ comparison }) => comparison);
}

/** Measures memory before the heap has grown under load, because the streams would fit into a grown heap unseen. */
async function measureAlone(subject: Contestant, pace: Pace): Promise<Figures> {
  await warmUp(subject, pace.warmUpMs / 4);
  const resident = () => subject.programs.reduce((sum, { id }) => sum + residentKb(id), 0);
  const kbPerOpenStream = await memoryPerStream(subject.target, resident);
  await warmUp(subject, pace.warmUpMs);
  const mbPerStalledClient = await memoryOfStalled(subject.target, resident);
  const startMs = Math.max(...subject.programs.map((program) => program.startMs));
  return { kbPerOpenStream, mbPerStalledClient, startMs, incomplete: 0 };
}

async function counted(workload: Workload, subject: Contestant, place: Parameters<Workload>[1]): Promise<Figures> {
  const incomplete: Sample[] = [];
  const figures = await workload(subject, place, (samples) => {
    incomplete.push(...samples.filter(({ complete }) => !complete));
  });
  if (incomplete.length > 0) {
    const statuses = [...new Set(incomplete.map(({ status }) => status || 'cut short'))].join(', ');
    process.stderr.write(`${subject.name}: ${incomplete.length} requests failed or were cut short (${statuses})\n`);
  }
  return { ...figures, incomplete: incomplete.length };
}

function add(to: Figures, more: Figures): void {
  const failed = (to.incomplete ?? 0) + (more.incomplete ?? 0);
  Object.assign(to, more, { incomplete: failed });
}
