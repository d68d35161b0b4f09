import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestPostgres } from '../../gateway-doubles/start-postgres.ts';
import { freePort } from '../../support/free-port.ts';
import type { Target } from './connection.ts';
import { type Program, start } from './processes.ts';

/** Gateways of one process run on the first core, the load and the upstream on the second. */
export const gatewayCore = 0;
export const loadCore = 1;

/** What a contender may use to start. */
export interface Base {
  /** An empty folder, removed afterwards. */
  readonly folder: string;
  readonly upstreamUrl: string;
  /** The database server. Null if it isn't installed or no contender needs it. */
  readonly postgres: TestPostgres | null;
}

/** A contender that is running. */
export interface Contestant {
  readonly name: string;
  readonly target: Target;
  readonly programs: readonly Program[];
  /** The database server's process, whose processor time is reported separately. */
  readonly databaseId: number | null;
  /** Whether the hold of a request is on the disk before any byte of its answer is sent. */
  readonly syncsFirst: boolean;
}

export interface Contender {
  readonly name: string;
  readonly needs?: 'postgres' | 'registry';
  /** Starts it fresh in front of the upstream. */
  start(ground: Base): Promise<Contestant>;
}

export const model = 'openai/gpt-4o-mini';
export const floor = 'raw-meter';
const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));

/** Starts a gateway of one process without a database of its own. */
export async function contestant(
  name: string,
  options: {
    script: string;
    parameters: (port: number) => string[];
    flags?: readonly string[];
    target: Omit<Target, 'ports'>;
  },
): Promise<Contestant> {
  const { script, parameters, flags = [], target } = options;
  const port = await freePort();
  const program = await start(script, parameters(port), { port, core: gatewayCore, flags });
  return { name, target: { ...target, ports: [port] }, programs: [program], databaseId: null, syncsFirst: false };
}

export const rawUndici: Contender = {
  name: 'raw-undici',
  start: ({ upstreamUrl }) =>
    contestant('raw-undici', {
      script: here('raw-undici.ts'),
      parameters: (port) => [String(port), upstreamUrl],
      target: { keys: ['none'], model },
    }),
};

export const rawMeter: Contender = {
  name: floor,
  start: ({ upstreamUrl, folder }) =>
    contestant(floor, {
      script: here('raw-meter.ts'),
      parameters: (port) => [String(port), upstreamUrl, join(folder, 'raw-meter.log'), 'raw-meter-key'],
      target: { keys: ['raw-meter-key'], model },
    }),
};
