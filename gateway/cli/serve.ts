import { setTimeout } from 'node:timers/promises';
import type { OwnGateway } from '../gateway.ts';
import { listen } from '../http/listen.ts';
import { openGateway } from '../open-gateway.ts';
import { loadConfig } from '../operations/configuration/config.ts';
import { followProviders } from '../operations/configuration/follow-providers.ts';
import { refreshDaily } from './refresh-daily.ts';
import { serveMetrics } from './serve-metrics.ts';
import { type ServeSettings, serveSettings } from './serve-settings.ts';
import { terminalJson } from './terminal-text.ts';

export interface ServeOptions {
  readonly database: string;
  readonly port: number;
  readonly host: string;
  readonly configPath: string | undefined;
  /** Writes a line for every request, not only for those that failed. */
  readonly logRequests: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Serves until SIGINT or SIGTERM, then says so at `/readyz`, refuses new requests and finishes what runs. Another signal, a
 * second or more later, aborts that. Returns when all is settled. Throws `database_in_use` where another server has this SQLite file.
 */
export async function serve(options: ServeOptions): Promise<void> {
  const config = loadConfig(options.configPath, options.env);
  const settings = serveSettings(options.env);
  const gateway = await openGateway({
    database: options.database,
    env: options.env,
    providers: config.providers,
    sandbox: config.sandbox,
    aliases: config.aliases,
    byokFeeBps: config.byokFeeBps,
    routingDetailDays: settings.routingDetailDays,
    reasoningMs: settings.reasoningMs,
    log: withoutProbes,
    logsAll: options.logRequests,
  });
  const parts: Closing[] = [gateway];
  try {
    for (const [id, plan] of Object.entries(config.plans)) await gateway.operator.definePlan(id, plan);
    const inFile = new Set(config.inFile);
    const unfollow = await followProviders(gateway, { inFile, otherwise: config.providers, env: options.env, log });
    parts.unshift({ close: async () => unfollow() });
    const hosts = [...config.hosts, ...settings.hosts];
    const server = await listen(gateway, { ...options, hosts, origins: settings.origins, proxies: settings.proxies });
    parts.unshift(server);
    const metrics = settings.metrics && (await serveMetrics(settings.metrics, gateway.metrics));
    if (metrics) parts.unshift(metrics);
    // Before it is said where we serve: whoever reads that may end us at once.
    const signals = followStopSignals();
    process.stdout.write(`Portico gateway on ${server.url}\n`);
    log({ event: 'started', providers: Object.keys(config.providers), metrics: metrics?.port ?? null });
    const stopRefreshing = refreshDaily(gateway.operator, config.pricesUrl, log, config.pricesKey);
    parts.unshift({ close: async () => stopRefreshing() });
    await signals.stop;
    await retire(gateway, settings, signals.stopNow);
  } finally {
    for (const part of parts) await part.close();
  }
  log({ event: 'stopped' });
}

interface Closing {
  close(): Promise<void>;
}

/** Takes nothing new and waits for the answers that run. */
async function retire(
  gateway: OwnGateway,
  { noticeMs, drainMs }: ServeSettings,
  stopNow: Promise<void>,
): Promise<void> {
  log({ event: 'draining' });
  gateway.retire();
  void stopNow.then(() => {
    log({ event: 'drain_cut_short' });
    return gateway.drain(0);
  });
  await Promise.race([stopNow, setTimeout(noticeMs, undefined, { ref: false })]);
  await gateway.drain(drainMs);
}

/** On Windows also the end of its console and Ctrl-Break. Elsewhere `nohup` has to keep a hang-up from it, as from every program. */
const endSignals: readonly NodeJS.Signals[] =
  process.platform === 'win32' ? ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] : ['SIGINT', 'SIGTERM'];

/**
 * Signals within this time ask for one stop: a supervisor may signal every process of `npm run gateway`, and the script
 * passes on the signal that it got itself.
 */
const sameStopMs = 1_000;

/** `stop` resolves at the first signal, `stopNow` at a later one. A third one ends the process as it is. */
function followStopSignals(): { readonly stop: Promise<void>; readonly stopNow: Promise<void> } {
  const stop = Promise.withResolvers<void>();
  const stopNow = Promise.withResolvers<void>();
  const steps = [stop.resolve, stopNow.resolve, () => process.exit(1)];
  let countedAt = Number.NEGATIVE_INFINITY;
  const count = () => {
    const now = performance.now();
    if (now - countedAt < sameStopMs) return;
    countedAt = now;
    steps.shift()?.();
  };
  for (const name of endSignals) process.on(name, count);
  return { stop: stop.promise, stopNow: stopNow.promise };
}

const probes = new Set<unknown>(['/healthz', '/readyz']);

/** A load balancer asks every second whether all is well; where it is, that is no news. */
const withoutProbes: typeof log = (entry) => {
  if (!probes.has(entry.route) || entry.level !== 'info') log(entry);
};

function log(entry: Readonly<Record<string, unknown>>): void {
  const level = entry.level ?? (/(failed|error)$/.test(String(entry.event)) ? 'error' : 'info');
  process.stderr.write(`${terminalJson({ time: new Date().toISOString(), level, ...entry })}\n`);
}
