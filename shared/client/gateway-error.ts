import type { ProviderError } from '../errors.ts';
import { errorBody } from '../wire/error.ts';
import { retryAfterIn, retryAfterOf } from './retry-after.ts';

/** An error of a gateway. `status_code` and `message` are named as on the gateway’s interface page (§7). */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  /** HTTP status; 0 without a response. */
  readonly status_code: number;
  /** The gateway’s stable error code; without one `unreachable`, `not_a_gateway` or `truncated`. */
  readonly code: string;
  readonly requestId: string | null;
  readonly retryAfterMs: number | null;
  readonly details: Readonly<Record<string, unknown>> | null;
  /** The provider that caused it, and its own words. */
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

/** Errors of a proxy or load balancer in front of a gateway. */
const withoutEnvelope: Readonly<Record<number, { code: string; message: string }>> = {
  429: { code: 'rate_limit_exceeded', message: 'The server takes no more requests just now.' },
  503: { code: 'server_overloaded', message: 'The server is overloaded or being restarted.' },
};

/** The error of a failed response. A body without the gateway’s envelope keeps the status and says so. */
export async function errorFromResponse(response: Response): Promise<GatewayError> {
  const text = await response.text().catch(() => '');
  const error = errorFromJson(text);
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

/** The error envelope in a JSON text, or null. */
export function errorFromJson(text: string): GatewayError | null {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return null;
  }
  const parsed = errorBody.safeParse(json);
  if (!parsed.success) return null;
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

function withHeaders(error: GatewayError, headers: Headers): GatewayError {
  return new GatewayError(error.message, {
    status_code: error.status_code,
    code: error.code,
    requestId: error.requestId ?? headers.get('x-request-id'),
    retryAfterMs: retryAfterOf(headers) ?? error.retryAfterMs,
    details: error.details,
    provider: error.provider,
    providerError: error.providerError,
  });
}
