import { type KeyObject, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { AppError, toAppError } from '#shared/errors.ts';
import { Secret } from '../access/auth/secret.ts';
import type { OwnGateway } from '../gateway.ts';
import { parseOrigins } from '../http/browser/cross-origin.ts';
import { type ProxyHeader, parseNetworks, type TrustedProxies } from '../http/client-address.ts';
import { listen } from '../http/listen.ts';
import { dayMs } from '../ledger/period.ts';
import { openGateway } from '../open-gateway.ts';
import { loadConfig } from '../operations/configuration/config.ts';
import { credentialFrom, type ProviderEntry } from '../operations/configuration/provider-entry.ts';
import type { ProviderOperator } from '../operations/configuration/provider-operator.ts';
import type { PriceOperator } from '../operations/prices/price-operator.ts';
import type { ProviderCredential } from '../providers/provider.ts';
import { terminalJson } from './terminal-text.ts';

type Env = Readonly<Record<string, string | undefined>>;

interface MetricsAddress {
  readonly host: string;
  readonly port: number;
  /** The bearer token that a reader has to send. Null: everyone who reaches the port may read. */
  readonly token: Secret | null;
}

/** How the stand-alone server runs, apart from what it serves. */
interface ServeSettings {
  /** Host names under which it may be addressed, besides loopback ones. */
  readonly hosts: readonly string[];
  /** Origins whose pages may call it from a browser. */
  readonly origins: readonly string[];
  readonly proxies: TrustedProxies | null;
  readonly metrics: MetricsAddress | null;
  /** How long requests are still accepted after a signal, while `/readyz` answers 503. */
  readonly noticeMs: number;
  /** How long running answers then have to finish. */
  readonly drainMs: number;
  /** How long a full routing decision is kept, in days. Null keeps it forever. */
  readonly routingDetailDays: number | null;
  /** How long signed reasoning state is kept for clients that don't send it back. */
  readonly reasoningMs: number;
}

const defaultDrainSeconds = 27;
const maxSeconds = 600;

/**
 * Reads the settings from the environment. Throws `invalid_input` with a message that names the variable and what it should
 * contain.
 */
export function serveSettings(env: Env): ServeSettings {
  const trusted = getVariable(env, 'PORTICO_TRUSTED_PROXIES');
  const header = proxyHeader(getVariable(env, 'PORTICO_PROXY_HEADER') ?? 'x-forwarded-for');
  return {
    hosts: (getVariable(env, 'PORTICO_HOSTS') ?? '').split(/[\s,]+/).filter((name) => name !== ''),
    origins: parseOrigins(getVariable(env, 'PORTICO_CORS_ORIGINS') ?? '', 'PORTICO_CORS_ORIGINS'),
    proxies: trusted === null ? null : { addresses: parseNetworks(trusted, 'PORTICO_TRUSTED_PROXIES'), header },
    metrics: metricsAddress(getVariable(env, 'PORTICO_METRICS'), getVariable(env, 'PORTICO_METRICS_TOKEN')),
    noticeMs: seconds(env, 'PORTICO_DRAIN_NOTICE', 0) * 1000,
    drainMs: seconds(env, 'PORTICO_DRAIN_TIMEOUT', defaultDrainSeconds) * 1000,
    routingDetailDays: days(getVariable(env, 'PORTICO_ROUTING_DETAIL_DAYS')),
    reasoningMs: minutes(getVariable(env, 'PORTICO_KEPT_REASONING')) * 60_000,
  };
}

const getVariable = (env: Env, name: string): string | null => env[name]?.trim() || null;

function proxyHeader(name: string): ProxyHeader {
  const header = name.toLowerCase();
  if (header === 'x-forwarded-for' || header === 'forwarded') return header;
  throw new AppError('invalid_input', 'PORTICO_PROXY_HEADER must be "x-forwarded-for" or "forwarded".');
}

/** Parses `9464`, which means this machine only, or `0.0.0.0:9464`. */
function metricsAddress(text: string | null, token: string | null): MetricsAddress | null {
  if (text === null) return null;
  const [, host, port] = /^(?:(.+):)?(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined || Number(port) > 65_535) {
    throw new AppError('invalid_input', 'PORTICO_METRICS must be a port, or an address and a port as in 0.0.0.0:9464.');
  }
  return {
    host: (host ?? '127.0.0.1').replace(/^\[(.*)\]$/, '$1'),
    port: Number(port),
    token: token === null ? null : new Secret(token),
  };
}

function seconds(env: Env, name: string, otherwise: number): number {
  const text = getVariable(env, name);
  if (text === null) return otherwise;
  const value = /^\d{1,3}(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (value <= maxSeconds) return value;
  throw new AppError('invalid_input', `${name} must be a number of seconds, at most ${maxSeconds}.`);
}

const usualMinutes = 60;
const maxMinutes = 1_440;

function minutes(text: string | null): number {
  if (text === null) return usualMinutes;
  const value = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  if (value <= maxMinutes) return value;
  throw new AppError(
    'invalid_input',
    `PORTICO_KEPT_REASONING must be a whole number of minutes, from 0 to ${maxMinutes}.`,
  );
}

const maxDays = 3_650;

/** The minimum is one day, so that every request this old has ended. */
function days(text: string | null): number | null {
  if (text === null) return null;
  const value = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 1 && value <= maxDays) return value;
  throw new AppError(
    'invalid_input',
    `PORTICO_ROUTING_DETAIL_DAYS must be a whole number of days, from 1 to ${maxDays}.`,
  );
}

const followEveryMs = 15_000;

/** The part of a gateway that provider definitions are applied to. */
interface ProviderTarget {
  setProvider(id: string, credential: ProviderCredential | null): void;
  readonly operator: Pick<ProviderOperator, 'definedProviders'>;
}

interface FollowOptions {
  /** Providers that the configuration file names. The file takes precedence over definitions. */
  readonly inFile: ReadonlySet<string>;
  /** Credentials from the environment. They are used again when a definition is removed. */
  readonly otherwise: Readonly<Record<string, ProviderCredential>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/**
 * Applies the providers that were defined by command, and follows changes while the gateway serves. A provider whose key can't be
 * read is logged and left as it was. Resolves once the current definitions were applied, with a function that stops following.
 */
async function followProviders(gateway: ProviderTarget, options: FollowOptions): Promise<() => void> {
  let seen = new Map<string, string>();
  const used = new Set<string>();

  function use(id: string, entry: ProviderEntry): void {
    try {
      gateway.setProvider(id, credentialFrom(id, entry, options.env));
      used.add(id);
      options.log({ event: 'provider_defined', provider: id });
    } catch (error) {
      options.log({ event: 'provider_not_usable', level: 'error', provider: id, cause: toAppError(error).message });
    }
  }

  async function applyDefinitions(): Promise<void> {
    const defined = await gateway.operator.definedProviders();
    const texts = new Map([...defined].map(([id, entry]) => [id, JSON.stringify(entry)]));
    for (const [id, entry] of defined) {
      if (!options.inFile.has(id) && seen.get(id) !== texts.get(id)) use(id, entry);
    }
    for (const id of seen.keys()) {
      if (defined.has(id) || !used.delete(id)) continue;
      gateway.setProvider(id, options.otherwise[id] ?? null);
      options.log({ event: 'provider_removed', provider: id });
    }
    seen = texts;
  }

  await applyDefinitions();
  const timer = setInterval(() => {
    applyDefinitions().catch((error: unknown) => options.log({ event: 'provider_check_failed', cause: String(error) }));
  }, followEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}

const loopback = new Set(['127.0.0.1', 'localhost', '::1', '[::1]']);

interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves `GET /metrics` on a separate address, which is never the public one. Throws `port_unavailable`. */
export async function serveMetrics(address: MetricsAddress, text: () => string): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    const status = statusFor(request, address);
    const body = status === 200 ? text() : '';
    const type = 'text/plain; version=0.0.4; charset=utf-8';
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', connection: 'close' }).end(body);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(unavailable(address, cause)));
    server.listen(address.port, address.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function statusFor(request: IncomingMessage, { host, token }: MetricsAddress): number {
  // A page in the operator's browser could reach this machine under its own host name (DNS rebinding).
  const name = (request.headers.host ?? '').replace(/:\d+$/, '').toLowerCase();
  if (loopback.has(host) && !loopback.has(name)) return 403;
  if (token !== null && !isEqual(request.headers.authorization ?? '', `Bearer ${token.reveal()}`)) return 401;
  if (request.url?.split('?')[0] !== '/metrics') return 404;
  return request.method === 'GET' ? 200 : 405;
}

function isEqual(given: string, wanted: string): boolean {
  const [first, second] = [Buffer.from(given), Buffer.from(wanted)];
  return first.length === second.length && timingSafeEqual(first, second);
}

function unavailable({ host, port }: MetricsAddress, cause: Error): AppError {
  return new AppError('port_unavailable', `Metrics cannot be served on ${host}:${port}: ${cause.message}.`, { cause });
}

/** The options of `gateway serve`. */
export interface ServeFlags {
  readonly port: number;
  readonly host: string;
  /** The path of the configuration file. */
  readonly config?: string;
  /** Writes a log line for every request, not only for failed ones. */
  readonly logRequests?: boolean;
}

interface ServeOptions extends ServeFlags {
  readonly database: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Serves until SIGINT or SIGTERM. Then `/readyz` reports it, new requests are refused and running ones finish. Another signal, a
 * second or more later, cuts that short. Returns when everything is settled. Throws `database_in_use` when another server has
 * this SQLite file.
 */
export async function serve(options: ServeOptions): Promise<void> {
  const config = loadConfig(options.config, options.env);
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
    logsAll: options.logRequests ?? false,
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
    // The handlers must be there before the address is printed: whoever reads it may send a signal at once.
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

/** Accepts nothing new and waits for running answers. */
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

/**
 * On Windows, closing the console and Ctrl-Break end the server too. On other systems SIGHUP isn't handled, so that `nohup` works
 * as for every program.
 */
const endSignals: readonly NodeJS.Signals[] =
  process.platform === 'win32' ? ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] : ['SIGINT', 'SIGTERM'];

/**
 * Signals within this time count as one: a supervisor may signal every process of `npm run gateway`, and the script also passes
 * on the signal that it got.
 */
const sameStopMs = 1_000;

/** `stop` resolves at the first signal and `stopNow` at the second. A third one ends the process at once. */
function followStopSignals(): { readonly stop: Promise<void>; readonly stopNow: Promise<void> } {
  const stop = Promise.withResolvers<void>();
  const stopNow = Promise.withResolvers<void>();
  const actions = [stop.resolve, stopNow.resolve, () => process.exit(1)];
  let countedAt = Number.NEGATIVE_INFINITY;
  const count = () => {
    const now = performance.now();
    if (now - countedAt < sameStopMs) return;
    countedAt = now;
    actions.shift()?.();
  };
  for (const name of endSignals) process.on(name, count);
  return { stop: stop.promise, stopNow: stopNow.promise };
}

const probes = new Set<unknown>(['/healthz', '/readyz']);

/** A load balancer probes every second, so successful probes aren't logged. */
const withoutProbes: typeof log = (entry) => {
  if (!probes.has(entry.route) || entry.level !== 'info') log(entry);
};

function log(entry: Readonly<Record<string, unknown>>): void {
  const level = entry.level ?? (/(failed|error)$/.test(String(entry.event)) ? 'error' : 'info');
  process.stderr.write(`${terminalJson({ time: new Date().toISOString(), level, ...entry })}\n`);
}

/** Checks for newer prices at once and then daily, if an address is configured. A refusal is logged and changes nothing. */
export function refreshDaily(
  operator: Pick<PriceOperator, 'refreshPrices'>,
  url: string | undefined,
  log: (entry: Readonly<Record<string, unknown>>) => void,
  publicKey?: KeyObject,
): () => void {
  if (!url) return () => {};
  const refresh = () =>
    operator.refreshPrices(url, publicKey).then(
      ({ source, asOf, added, refused }) => {
        log({ event: 'prices_refreshed', source, as_of: asOf, added: added.length, refused: refused.length });
        for (const { model, why } of refused) log({ event: 'price_not_believed', level: 'warn', model, message: why });
      },
      (error: unknown) => {
        const { code, message } = toAppError(error);
        log({ event: 'prices_not_refreshed', code, message });
      },
    );
  void refresh();
  const timer = setInterval(() => void refresh(), dayMs);
  timer.unref();
  return () => clearInterval(timer);
}
