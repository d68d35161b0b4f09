import type { AppError } from '#shared/errors.ts';
import { type ErrorAnswer, errorAnswer } from '../error-response.ts';
import { toPath } from '../policies.ts';
import { messagesEnvelope } from './messages-error.ts';

/** An error as the endpoint of this target says it: in Anthropic's envelope where its clients ask, else in OpenAI's. */
export function errorFor(target: string, error: AppError, requestId: string): ErrorAnswer {
  const answer = errorAnswer(error, requestId);
  if (!/^\/v1\/messages(\/|$)/.test(toPath(target))) return answer;
  const headers = { ...answer.headers, 'request-id': requestId };
  return { ...answer, headers, text: JSON.stringify(messagesEnvelope(error, requestId)) };
}

/** The same for frameworks. */
export function errorResponseFor(target: string, error: AppError, requestId: string): Response {
  const { status, headers, text } = errorFor(target, error, requestId);
  return new Response(text, { status, headers });
}
