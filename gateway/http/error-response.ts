import { type AppError, errorKinds } from '#shared/errors.ts';
import type { ErrorBody } from '#shared/wire/error.ts';
import { challengeFor } from '../access/auth/authorize.ts';

/** SDKs ignore longer waits, so none is ever asked for (wire contract §0.6). */
const maxRetryMs = 60_000;
/** A sentence and a place; what of the request they repeat may be of any length. */
const maxMessage = 2_000;
const maxParam = 256;
/** Every 429 and 503 says a wait (wire contract §7), also where nobody knows how long it will take. */
const usualRetryMs = 1000;

/** The error envelope, for answers and for the error event inside a stream (wire contract §3.1). */
export function errorEnvelope(error: AppError, requestId: string | null): ErrorBody {
  const { status, type, retryable } = errorKinds[error.code];
  const waitMs = getWait(error);
  const details = { ...error.details, ...(waitMs === null ? {} : { retry_after_ms: waitMs }) };
  return {
    error: {
      message: error.message.slice(0, maxMessage).toWellFormed(),
      type,
      param: error.param?.slice(0, maxParam).toWellFormed() ?? null,
      code: error.code,
      status_code: status,
      request_id: requestId,
      provider: error.provider,
      ...(error.providerError ? { provider_error: error.providerError } : {}),
      retryable,
      ...(Object.keys(details).length ? { details } : {}),
    },
  };
}

/** Whole milliseconds to wait; null where waiting is no help. It stands in the body as well: a stream has no headers left. */
function getWait({ retryAfterMs, status }: AppError): number | null {
  if (retryAfterMs === undefined && status !== 429 && status !== 503) return null;
  return Math.min(Math.max(0, Math.ceil(retryAfterMs ?? usualRetryMs)), maxRetryMs);
}

/** An error as a whole answer, with the headers that belong to it. */
export function errorAnswer(error: AppError, requestId: string): ErrorAnswer {
  const headers: Record<string, string> = { 'content-type': 'application/json; charset=utf-8' };
  const challenge = challengeFor(error);
  if (challenge) headers['www-authenticate'] = challenge;
  Object.assign(headers, retryHeaders(error));
  if (error.code === 'upstream_timeout') headers['x-should-retry'] = 'false';
  if (error.code === 'request_too_large') headers.connection = 'close';
  if (error.code === 'method_not_allowed') headers.allow = allowed(error);
  return { status: error.status, headers, text: JSON.stringify(errorEnvelope(error, requestId)) };
}

export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const allowed = (error: AppError) => (error.details?.allowed as string[] | undefined)?.join(', ') ?? '';

/** The same for frameworks. */
export function errorResponse(error: AppError, requestId: string): Response {
  const { status, headers, text } = errorAnswer(error, requestId);
  return new Response(text, { status, headers });
}

/** How long to wait before another try, in both units that clients read. */
function retryHeaders(error: AppError): Record<string, string> {
  const waitMs = getWait(error);
  return waitMs === null ? {} : { 'retry-after': String(Math.ceil(waitMs / 1000)), 'retry-after-ms': String(waitMs) };
}
