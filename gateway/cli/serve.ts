import { Agent } from 'undici';
import { createDispatchFetch } from '../lib/dispatch-fetch.ts';
import { listen } from '../listen.ts';
import { openGateway } from '../open-gateway.ts';
import { loadConfig } from './config.ts';
import { takeServingLock } from './serving-lock.ts';

export interface ServeOptions {
  readonly database: string;
  readonly port: number;
  readonly host: string;
  readonly configPath: string | undefined;
  /** Writes a line for every request, not only for those that failed. */
  readonly logRequests: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Running answers get this long to finish after a signal; the last bytes and the database need the rest of 30 s. */
const drainMs = 27_000;

/** How long an upstream may be silent is the engine's business, which knows what it is doing (`engineTimeouts`). */
const upstreamLimits = { headersTimeout: 0, bodyTimeout: 0, connections: 1_000 };

/** Serves until SIGINT or SIGTERM, then finishes what runs. A second signal aborts it. Returns when all is settled. */
export async function serve(options: ServeOptions): Promise<void> {
  const config = loadConfig(options.configPath, options.env);
  const lock = takeServingLock(options.database);
  const gateway = await openGateway({
    database: options.database,
    env: options.env,
    exclusive: lock?.alone ?? false,
    providers: config.providers,
    sandbox: config.sandbox,
    upstreamFetch: createDispatchFetch(new Agent(upstreamLimits)),
    log: options.logRequests ? log : quietly,
  });
  lock?.share();
  const server = await listen(gateway, { port: options.port, host: options.host, hosts: config.hosts }).catch(
    async (error: unknown) => {
      await gateway.close();
      throw error;
    },
  );
  process.stdout.write(`Portico gateway on ${server.url}\n`);
  log({ event: 'started', providers: Object.keys(config.providers), exclusive: lock?.alone ?? false });
  await signalled();
  log({ event: 'draining' });
  const impatient = () => void gateway.drain(0);
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, impatient);
  await gateway.drain(drainMs);
  await server.close();
  await gateway.close();
  lock?.release();
  log({ event: 'stopped' });
}

const signalled = () =>
  new Promise<void>((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => resolve());
  });

/** What every answered request would say is left out unless it was asked for. */
const quietly: typeof log = (entry) => {
  const ordinary = entry.event === 'request' && typeof entry.status === 'number' && entry.status < 300;
  if (!ordinary) log(entry);
};

function log(entry: Readonly<Record<string, unknown>>): void {
  process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), ...entry })}\n`);
}
