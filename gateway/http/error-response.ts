import { type AppError, errorKinds } from '#shared/errors.ts';
import type { ErrorBody } from '#shared/wire/error.ts';
import type { MessagesError } from '#shared/wire/messages-answer.ts';
import { challengeFor } from '../access/auth/authorize.ts';
import { toPath } from './policies.ts';

/** SDKs ignore longer waits and ask again within seconds, so `x-should-retry` forbids that (wire contract §0.6). */
const maxRetryMs = 60_000;
/** The longest message and parameter name. What they repeat of a request may have any length. */
const maxMessage = 2_000;
const maxParam = 256;
/** Every 429 and 503 contains a wait (wire contract §7), even when its real length is not known. */
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

/** How long to wait, in milliseconds. Null when waiting does not help. It is in the body as well, because a stream has no headers left. */
function getWait({ retryAfterMs, status }: AppError): number | null {
  if (retryAfterMs === undefined && status !== 429 && status !== 503) return null;
  return Math.max(0, Math.ceil(retryAfterMs ?? usualRetryMs));
}

/** True if a client has to wait for longer than it would keep a request waiting. */
const isLongWait = ({ retryAfterMs }: AppError): boolean => (retryAfterMs ?? 0) > maxRetryMs;

/** An error as a complete answer, with the headers that belong to it. */
export function errorAnswer(error: AppError, requestId: string): ErrorAnswer {
  const headers: Record<string, string> = { 'content-type': 'application/json; charset=utf-8' };
  const challenge = challengeFor(error);
  if (challenge) headers['www-authenticate'] = challenge;
  Object.assign(headers, retryHeaders(error));
  if (error.code === 'upstream_timeout' || isLongWait(error)) headers['x-should-retry'] = 'false';
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

/** The same as a platform `Response`. */
export function errorResponse(error: AppError, requestId: string): Response {
  const { status, headers, text } = errorAnswer(error, requestId);
  return new Response(text, { status, headers });
}

/** How long to wait before another try, in both units that clients read. */
function retryHeaders(error: AppError): Record<string, string> {
  const waitMs = getWait(error);
  return waitMs === null ? {} : { 'retry-after': String(Math.ceil(waitMs / 1000)), 'retry-after-ms': String(waitMs) };
}

/** An error in the format of the target's endpoint: Anthropic's envelope for Anthropic's clients, else OpenAI's. */
export function errorFor(target: string, error: AppError, requestId: string): ErrorAnswer {
  const answer = errorAnswer(error, requestId);
  if (!/^\/v1\/messages(\/|$)/.test(toPath(target))) return answer;
  const headers = { ...answer.headers, 'request-id': requestId };
  return { ...answer, headers, text: JSON.stringify(messagesEnvelope(error, requestId)) };
}

/** The same as a platform `Response`. */
export function errorResponseFor(target: string, error: AppError, requestId: string): Response {
  const { status, headers, text } = errorFor(target, error, requestId);
  return new Response(text, { status, headers });
}

/**
 * Anthropic's error types by status (https://platform.claude.com/docs/en/api/errors, read 2026-11-22). Other statuses below 500 are invalid
 * requests.
 */
const messagesTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
};

/** An error in the envelope of Anthropic's API, together with the fields of OpenAI's envelope. */
export function messagesEnvelope(error: AppError, requestId: string | null): MessagesError {
  const { error: fields } = errorEnvelope(error, requestId);
  const { status } = errorKinds[error.code];
  const type = messagesTypes[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
  const message = error.code === 'context_length_exceeded' ? asTooLong(fields.message) : fields.message;
  return { type: 'error', error: { ...fields, type, message }, request_id: requestId };
}

/**
 * Anthropic's clients summarise the conversation when they read these words, whatever the status
 * (https://github.com/anthropics/claude-code/issues/3622, read 2026-11-27).
 */
const asTooLong = (message: string): string =>
  /prompt is too long/i.test(message) ? message : `prompt is too long: ${message}`;
