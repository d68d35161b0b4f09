import { isErrorCode, type ProviderError } from '../errors.ts';
import { asObject, isObject } from '../json/foreign-json.ts';
import { errorBody } from '../wire/error.ts';
import { getRetryAfter, retryAfterIn } from './retry-after.ts';

/** An error of a gateway. `status_code` and `message` are named as on the gateway's interface page (§7). */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  /** The HTTP status, or 0 if there was no response. */
  readonly status_code: number;
  /** The gateway's stable error code. If it sent none, this is `unreachable`, `not_a_gateway` or `truncated`. */
  readonly code: string;
  readonly requestId: string | null;
  readonly retryAfterMs: number | null;
  readonly details: Readonly<Record<string, unknown>> | null;
  /** The provider that caused the error, and its own message. */
  readonly provider: string | null;
  readonly providerError: ProviderError | null;

  constructor(
    message: string,
    more: {
      status_code: number;
      code: string;
      requestId?: string | null;
      retryAfterMs?: number | null;
      details?: Readonly<Record<string, unknown>> | null;
      provider?: string | null;
      providerError?: ProviderError | null;
      cause?: unknown;
    },
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.status_code = more.status_code;
    this.code = more.code;
    this.requestId = more.requestId ?? null;
    this.retryAfterMs = more.retryAfterMs ?? null;
    this.details = more.details ?? null;
    this.provider = more.provider ?? null;
    this.providerError = more.providerError ?? null;
  }
}

/** Errors of a proxy or load balancer in front of a gateway, which have no envelope of ours. */
const withoutEnvelope: Readonly<Record<number, { code: string; message: string }>> = {
  429: { code: 'rate_limit_exceeded', message: 'The server takes no more requests just now.' },
  503: { code: 'server_overloaded', message: 'The server is overloaded or being restarted.' },
};

/**
 * Creates the error for a failed response. If the body isn't a gateway's error, the error keeps the status, and its
 * message names that status.
 */
export async function errorFromResponse(response: Response): Promise<GatewayError> {
  const text = await response.text().catch(() => '');
  const error = errorFromJson(text, response.status);
  if (error) return withHeaders(error, response.headers);
  const busy = withoutEnvelope[response.status];
  if (busy)
    return withHeaders(new GatewayError(busy.message, { ...busy, status_code: response.status }), response.headers);
  return new GatewayError(
    `The server answered ${response.status} without a gateway's error message. Is the base URL right?`,
    {
      status_code: response.status,
      code: 'not_a_gateway',
    },
  );
}

/**
 * Parses an error from JSON: our envelope, or the formats of other servers. Returns null if the text contains no error.
 * A stream has no status of its own, so an error inside it counts as a server error.
 */
export function errorFromJson(text: string, status = 502): GatewayError | null {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return null;
  }
  const parsed = errorBody.safeParse(json);
  if (!parsed.success) return otherError(json, status);
  const { message, status_code, code, request_id, details, provider, provider_error } = parsed.data.error;
  return new GatewayError(message, {
    status_code,
    code,
    requestId: request_id,
    details: details ?? null,
    retryAfterMs: retryAfterIn(details),
    provider,
    providerError: provider_error ?? null,
  });
}

/**
 * Parses OpenAI's `{ error: { message, code } }`, OpenRouter's form with a numeric code, `{ error: "…" }`, and bare
 * messages.
 */
function otherError(json: unknown, status: number): GatewayError | null {
  const body = asObject(json);
  const inside = isObject(body.error) ? body.error : status === 502 && body.error == null ? {} : body;
  const detail = Array.isArray(inside.detail) ? fieldFaults(inside.detail) : inside.detail;
  const messages = [inside.message, body.error, detail, inside.error_description, inside.title];
  const message = messages.find((value) => typeof value === 'string' && value.trim() !== '');
  if (typeof message !== 'string') return null;
  const number = [inside.code, inside.status_code, inside.status].find((value) => Number.isInteger(value));
  const status_code = status === 502 && typeof number === 'number' && number >= 400 && number < 600 ? number : status;
  const code = [inside.code, inside.type].find((value) => typeof value === 'string' && isErrorCode(value));
  return new GatewayError(message, {
    status_code,
    code: typeof code === 'string' ? code : codeByStatus(status_code, message),
    requestId: typeof inside.request_id === 'string' ? inside.request_id : null,
  });
}

/** Joins FastAPI's list of rejected fields: `{ loc: ["body", "name"], msg }`. */
function fieldFaults(faults: readonly unknown[]): string {
  const sentences = faults.map(asObject).flatMap(({ loc, msg }) => {
    const place = Array.isArray(loc) ? loc.join('.') : '';
    return typeof msg === 'string' ? [place === '' ? msg : `${place}: ${msg}`] : [];
  });
  return sentences.slice(0, 5).join('; ');
}

const codes: Readonly<Record<number, string>> = {
  401: 'invalid_api_key',
  402: 'insufficient_credits',
  403: 'insufficient_scope',
  405: 'method_not_allowed',
  408: 'request_timeout',
  413: 'request_too_large',
  429: 'rate_limit_exceeded',
  503: 'server_overloaded',
};

function codeByStatus(status: number, message: string): string {
  if (status === 404) {
    // The pattern must not match a path that contains the word.
    if (/(?:^|\s)generation\b.*not found/i.test(message)) return 'generation_not_found';
    return /\bmodel\b/i.test(message) ? 'model_not_found' : 'unknown_endpoint';
  }
  return codes[status] ?? (status < 500 ? 'malformed_request' : 'upstream_error');
}

/** Whether the gateway lacks the endpoint. Some servers answer with an unrelated page instead of a 404. */
export function isLacking(error: unknown): boolean {
  if (!(error instanceof GatewayError)) return false;
  const { status_code: status, code } = error;
  if (status === 405 || status === 501 || code === 'not_reported') return true;
  return (status === 404 && !absent.has(code)) || isOtherPage(error);
}

/** The endpoint exists, but the requested object doesn't. */
const absent: ReadonlySet<string> = new Set([
  ...['model_not_found', 'no_eligible_model'],
  ...['request_not_found', 'generation_not_found'],
]);

const isOtherPage = ({ status_code: status, code }: GatewayError): boolean => code === 'not_a_gateway' && status < 400;

/**
 * Creates the error for a gateway that has none of the endpoints that could answer. `cause` is the error of the first
 * one that was tried.
 */
export function notReported(cause: unknown): GatewayError {
  // An answer that can't be parsed is not the same as a missing endpoint.
  if (cause instanceof GatewayError && (isOtherPage(cause) || cause.code === 'not_reported')) return cause;
  return new GatewayError('This gateway does not tell this.', { status_code: 404, code: 'not_reported', cause });
}

/** Returns the gateway's id of a request. OpenRouter calls it a generation. */
export const requestIdIn = (headers: Headers): string | null =>
  headers.get('x-generation-id') ?? headers.get('x-request-id');

function withHeaders(error: GatewayError, headers: Headers): GatewayError {
  return new GatewayError(error.message, {
    status_code: error.status_code,
    code: error.code,
    requestId: error.requestId ?? requestIdIn(headers),
    retryAfterMs: getRetryAfter(headers) ?? error.retryAfterMs,
    details: error.details,
    provider: error.provider,
    providerError: error.providerError,
  });
}
