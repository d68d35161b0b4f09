import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '#shared/errors.ts';
import { newId } from '../../storage/id.ts';
import { errorAnswer } from '../error-response.ts';
import { getPolicies, toPath } from '../policies.ts';

/** The headers that a page may read: ids, limits, waits, and how the request was answered. */
const exposed = [
  ...['x-request-id', 'x-client-request-id', 'x-portico-version', 'x-portico-provider', 'x-portico-model'],
  ...['x-portico-attempts', 'x-portico-route', 'x-portico-warnings', 'idempotent-replayed'],
  ...['x-ratelimit-limit-requests', 'x-ratelimit-remaining-requests', 'x-ratelimit-reset-requests'],
  ...['x-ratelimit-limit-tokens', 'x-ratelimit-remaining-tokens', 'x-ratelimit-reset-tokens'],
  ...['retry-after', 'retry-after-ms', 'www-authenticate', 'etag'],
].join(', ');
/** The headers that a page may send when its preflight names none. */
const usualHeaders = 'authorization, content-type';
const headerNames = /^[\w!#$%&'*+.^`|~, -]{1,2048}$/;
/** How long a browser may remember a preflight. Some browsers keep it for less. */
const rememberedSeconds = 600;

/**
 * Lets pages of these origins call the gateway (https://fetch.spec.whatwg.org/#http-cors-protocol). The browser's own credentials are never
 * used: a page sends its key itself. Returns whether the request was a preflight, which is then answered.
 */
export function createCrossOrigin(origins: readonly string[]) {
  const listed = new Set(origins);
  return (incoming: IncomingMessage, outgoing: ServerResponse): boolean => {
    const { origin } = incoming.headers;
    if (listed.size > 0) outgoing.setHeader('vary', 'Origin');
    if (origin === undefined) return false;
    if (listed.has(origin)) {
      outgoing.setHeader('access-control-allow-origin', origin);
      outgoing.setHeader('access-control-expose-headers', exposed);
    }
    const methods = preflightMethods(incoming);
    if (methods === null) return false;
    if (listed.has(origin)) allow(incoming, outgoing, methods);
    else refuse(origin, outgoing);
    return true;
  };
}

/** The methods of the path that a preflight asks for. Null for other requests and unknown paths. */
function preflightMethods({ method, url, headers }: IncomingMessage): string | null {
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return null;
  const policies = getPolicies(toPath(url ?? '/'));
  return policies.length === 0 ? null : policies.map((policy) => policy.method).join(', ');
}

function allow({ headers }: IncomingMessage, outgoing: ServerResponse, methods: string): void {
  const asked = headers['access-control-request-headers'] ?? '';
  outgoing.writeHead(204, {
    'access-control-allow-methods': methods,
    // SDKs send many headers of their own, and none of them is a risk.
    'access-control-allow-headers': headerNames.test(asked) ? asked : usualHeaders,
    'access-control-max-age': String(rememberedSeconds),
  });
  outgoing.end();
}

function refuse(origin: string, outgoing: ServerResponse): void {
  const message = `Pages of "${origin.slice(0, 200)}" may not call this gateway: its operator has not listed that origin (PORTICO_CORS_ORIGINS).`;
  const requestId = newId('req', Date.now());
  const { status, headers, text } = errorAnswer(new AppError('origin_not_allowed', message), requestId);
  outgoing.writeHead(status, { ...headers, 'x-request-id': requestId, 'content-length': Buffer.byteLength(text) });
  outgoing.end(text);
}

/** Parses the operator's list of origins. Throws `invalid_input` for an invalid one. */
export function parseOrigins(text: string, name: string): string[] {
  const origins = text.split(/[\s,]+/).filter((origin) => origin !== '');
  for (const origin of origins) if (!isOrigin(origin)) throw noOrigin(origin, name);
  return origins;
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text;
}

function noOrigin(text: string, name: string): AppError {
  const why =
    text === '*'
      ? 'cannot be "*": list the origins whose pages may call the gateway'
      : `names "${text}", which is no origin`;
  return new AppError('invalid_input', `${name} ${why}, such as https://app.example.com.`);
}
