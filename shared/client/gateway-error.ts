import { errorBody } from '../wire/error.ts';

/** What a gateway refused or failed with. `status_code` and `message` as the gateway's interface page names them (§7). */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  /** HTTP status; 0 where no answer came. */
  readonly status_code: number;
  /** The gateway's stable error code, or `unreachable` / `not_a_gateway` / `truncated` where it gave none. */
  readonly code: string;
  readonly requestId: string | null;
  readonly retryAfterMs: number | null;
  readonly details: Readonly<Record<string, unknown>> | null;

  constructor(
    message: string,
    more: {
      status_code: number;
      code: string;
      requestId?: string | null;
      retryAfterMs?: number | null;
      details?: Record<string, unknown> | null;
      cause?: unknown;
    },
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.status_code = more.status_code;
    this.code = more.code;
    this.requestId = more.requestId ?? null;
    this.retryAfterMs = more.retryAfterMs ?? null;
    this.details = more.details ?? null;
  }
}

/** The error inside a failed answer. A body that is not the gateway's envelope keeps the status and says so. */
export async function errorFromResponse(response: Response): Promise<GatewayError> {
  const text = await response.text().catch(() => '');
  const error = errorFromJson(text);
  if (error) return withHeaders(error, response.headers);
  return new GatewayError(
    `The server answered ${response.status} without a gateway's error message. Is the base URL right?`,
    {
      status_code: response.status,
      code: 'not_a_gateway',
    },
  );
}

/** The error envelope in a JSON text, or null where there is none. */
export function errorFromJson(text: string): GatewayError | null {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return null;
  }
  const parsed = errorBody.safeParse(json);
  if (!parsed.success) return null;
  const { message, status_code, code, request_id, details } = parsed.data.error;
  return new GatewayError(message, { status_code, code, requestId: request_id, details: details ?? null });
}

function withHeaders(error: GatewayError, headers: Headers): GatewayError {
  const ms = Number(headers.get('retry-after-ms') ?? Number.NaN);
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  const retryAfterMs = Number.isFinite(ms) ? ms : Number.isFinite(seconds) ? seconds * 1000 : null;
  return new GatewayError(error.message, {
    status_code: error.status_code,
    code: error.code,
    requestId: error.requestId ?? headers.get('x-request-id'),
    retryAfterMs,
    details: error.details,
  });
}
