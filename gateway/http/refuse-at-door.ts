import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AppError } from '#shared/errors.ts';
import { newId } from '../db/id.ts';
import { isClientRequestId } from './client-request-id.ts';
import { errorEnvelope, retryHeaders } from './error-response.ts';
import { refuseUnread } from './refuse-unread.ts';
import { version } from './version.ts';

/**
 * Refuses a request of which nothing was read, with what every answer has. It costs a small part of what an answer does,
 * and leaves the connection as it was.
 */
export function refuseAtDoor(error: AppError, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const requestId = newId('req', Date.now());
  const text = JSON.stringify(errorEnvelope(error, requestId));
  const echoed = incoming.headers['x-client-request-id'];
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': requestId,
    'x-portico-version': version,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    ...retryHeaders(error),
    ...(typeof echoed === 'string' && isClientRequestId(echoed) ? { 'x-client-request-id': echoed } : {}),
  };
  void refuseUnread(outgoing, error.status, headers, text);
}
