import { AppError } from '#shared/errors.ts';
import { Secret } from '../access/auth/secret.ts';
import { parseOrigins } from '../http/browser/cross-origin.ts';
import { type ProxyHeader, parseNetworks, type TrustedProxies } from '../http/client-address.ts';

type Env = Readonly<Record<string, string | undefined>>;

export interface MetricsAddress {
  readonly host: string;
  readonly port: number;
  /** What a reader has to send as a bearer token; null: whoever reaches the port may read. */
  readonly token: Secret | null;
}

/** How the stand-alone server runs, beyond what it serves. */
export interface ServeSettings {
  /** Names under which it may be addressed, besides the loopback ones. */
  readonly hosts: readonly string[];
  /** Origins whose pages may call it from a browser. */
  readonly origins: readonly string[];
  readonly proxies: TrustedProxies | null;
  readonly metrics: MetricsAddress | null;
  /** After a signal: how long requests are still taken while `/readyz` says 503. */
  readonly noticeMs: number;
  /** How long running answers then get to finish. */
  readonly drainMs: number;
  /** How long a routing decision is kept whole; null: for ever. */
  readonly routingDetailDays: number | null;
  /** How long signed reasoning is kept for clients that do not send it back. */
  readonly reasoningMs: number;
}

const defaultDrainSeconds = 27;
const maxSeconds = 600;

/** Reads the environment. Throws `invalid_input` with a sentence that names the variable and what it should hold. */
export function serveSettings(env: Env): ServeSettings {
  const trusted = said(env, 'PORTICO_TRUSTED_PROXIES');
  const header = proxyHeader(said(env, 'PORTICO_PROXY_HEADER') ?? 'x-forwarded-for');
  return {
    hosts: (said(env, 'PORTICO_HOSTS') ?? '').split(/[\s,]+/).filter((name) => name !== ''),
    origins: parseOrigins(said(env, 'PORTICO_CORS_ORIGINS') ?? '', 'PORTICO_CORS_ORIGINS'),
    proxies: trusted === null ? null : { addresses: parseNetworks(trusted, 'PORTICO_TRUSTED_PROXIES'), header },
    metrics: metricsAddress(said(env, 'PORTICO_METRICS'), said(env, 'PORTICO_METRICS_TOKEN')),
    noticeMs: seconds(env, 'PORTICO_DRAIN_NOTICE', 0) * 1000,
    drainMs: seconds(env, 'PORTICO_DRAIN_TIMEOUT', defaultDrainSeconds) * 1000,
    routingDetailDays: days(said(env, 'PORTICO_ROUTING_DETAIL_DAYS')),
    reasoningMs: minutes(said(env, 'PORTICO_KEPT_REASONING')) * 60_000,
  };
}

const said = (env: Env, name: string): string | null => env[name]?.trim() || null;

function proxyHeader(name: string): ProxyHeader {
  const header = name.toLowerCase();
  if (header === 'x-forwarded-for' || header === 'forwarded') return header;
  throw new AppError('invalid_input', 'PORTICO_PROXY_HEADER must be "x-forwarded-for" or "forwarded".');
}

/** `9464` on this machine only, or `0.0.0.0:9464`. */
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
  const text = said(env, name);
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

/** At least one, so that whatever is this old has ended. */
function days(text: string | null): number | null {
  if (text === null) return null;
  const value = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 1 && value <= maxDays) return value;
  throw new AppError(
    'invalid_input',
    `PORTICO_ROUTING_DETAIL_DAYS must be a whole number of days, from 1 to ${maxDays}.`,
  );
}
