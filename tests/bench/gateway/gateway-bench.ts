import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { postgresPrograms, startPostgres } from '../../gateway-doubles/start-postgres.ts';
import { freePort } from '../../support/free-port.ts';
import type { Reporter } from '../rows.ts';
import {
  type Base,
  type Contender,
  type Contestant,
  floor,
  loadCore,
  model,
  rawMeter,
  rawUndici,
} from './contenders.ts';
import type { Comparison } from './figures.ts';
import { peers } from './peers.ts';
import { porticos } from './portico.ts';
import { moveTo, start, stop } from './processes.ts';
import { measureRound, type Pace } from './round.ts';

export interface BenchOptions {
  readonly rounds: number;
  readonly pace: Pace;
  /** The contenders to run; all if empty. The floor always runs, because everything is compared with it. */
  readonly contenders: readonly string[];
  readonly reporter: Pick<Reporter, 'doing'>;
}

export interface GatewayRecord {
  readonly comparisons: readonly Comparison[];
  /** The machine's load average over the last minute: other work makes the figures worse. */
  readonly load: { readonly before: number; readonly after: number };
}

/**
 * No round begins that would probably end after this time: on a busy machine, starting and draining
 * take longer than measuring.
 */
const maxMs = 12 * 60_000;

const contenders: readonly Contender[] = [rawUndici, rawMeter, ...porticos, ...peers];

/**
 * Measures the gateway next to its floors and peers. Each round starts every contender fresh and
 * compares each with the floor.
 */
export async function benchGateway(options: BenchOptions): Promise<GatewayRecord> {
  const unknown = options.contenders.filter((name) => contenders.every((contender) => contender.name !== name));
  if (unknown.length > 0) {
    throw new Error(`no contender "${unknown[0]}": there are ${contenders.map(({ name }) => name).join(', ')}`);
  }
  const chosen = contenders.filter(({ name }) => name === floor || isChosen(name, options));
  const before = loadavg()[0] ?? 0;
  const folder = mkdtempSync(join(tmpdir(), 'portico-bench-'));
  const postgres = chosen.some(({ needs }) => needs === 'postgres') ? await postgresIfInstalled() : null;
  // Every process started from here on would inherit this process's core, unless it gets one of its own.
  moveTo(loadCore);
  const port = await freePort();
  const script = fileURLToPath(new URL('upstream.ts', import.meta.url));
  const upstream = await start(script, [String(port)], { port, core: loadCore });
  const direct = { ports: [port], keys: ['none'], model };
  const comparisons: Comparison[] = [];
  try {
    const ground = { upstreamUrl: `http://127.0.0.1:${port}`, postgres };
    const began = performance.now();
    for (let round = 0; round < options.rounds; round += 1) {
      const elapsedMs = performance.now() - began;
      if (round > 0 && (elapsedMs / round) * (round + 1) > maxMs) {
        process.stderr.write(`only ${round} of ${options.rounds} rounds: this machine is too busy for more in time\n`);
        break;
      }
      const own = mkdtempSync(join(folder, 'round-'));
      options.reporter.doing(
        `round ${round + 1} of ${options.rounds}: starting ${chosen.map(({ name }) => name).join(', ')}`,
      );
      const running = await startAll(chosen, { ...ground, folder: own });
      try {
        comparisons.push(
          ...(await measureRound(running, {
            round,
            direct,
            folder: own,
            pace: options.pace,
            reporter: options.reporter,
          })),
        );
      } finally {
        await Promise.all(running.flatMap(({ programs }) => programs.map(stop)));
      }
    }
  } finally {
    await stop(upstream);
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  return { comparisons, load: { before, after: loadavg()[0] ?? 0 } };
}

const isChosen = (name: string, { contenders }: BenchOptions) => contenders.length === 0 || contenders.includes(name);

/**
 * Starts the contenders one after another, because their start time is measured too. One that this machine can't run
 * is left out with a message.
 */
async function startAll(chosen: readonly Contender[], ground: Base): Promise<Contestant[]> {
  const running: Contestant[] = [];
  for (const contender of chosen) {
    if (contender.needs === 'postgres' && !ground.postgres) continue;
    try {
      running.push(await contender.start(ground));
    } catch (error) {
      if (contender.needs !== 'registry') throw error;
      process.stderr.write(`${contender.name} is skipped: ${firstLine(error)}\n`);
    }
  }
  return running;
}

async function postgresIfInstalled() {
  const programs = postgresPrograms();
  if (programs) return startPostgres(programs, { synced: true });
  process.stderr.write('PostgreSQL is skipped: it is not installed (Debian: apt install postgresql)\n');
  return null;
}

const firstLine = (error: unknown) => (error instanceof Error ? error.message : String(error)).split('\n')[0];
