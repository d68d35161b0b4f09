import { type AppError, errorKinds } from '#shared/errors.ts';
import type { MessagesError } from '#shared/wire/messages-answer.ts';
import { errorEnvelope } from '../error-response.ts';

/** Anthropic's names by status (https://platform.claude.com/docs/en/api/errors, read 2026-11-22); others of 400 are invalid requests. */
const types: Readonly<Record<number, string>> = {
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

/** An error in the envelope of Anthropic's API; what every error says here stands beside it. */
export function messagesEnvelope(error: AppError, requestId: string | null): MessagesError {
  const { error: said } = errorEnvelope(error, requestId);
  const { status } = errorKinds[error.code];
  const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
  return { type: 'error', error: { ...said, type }, request_id: requestId };
}
