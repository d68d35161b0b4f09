import type { AppError } from '#shared/errors.ts';
import { errorFor } from './errors/error-for.ts';
import type { HttpExchange } from './exchange.ts';
import { receive, withCommonHeaders } from './receive.ts';
import { version } from './version.ts';

/**
 * Refuses a request of which nothing was read, with what every answer has. It costs a small part of what an answer does,
 * and leaves the connection as it was.
 */
export function refuseConnection(error: AppError, exchange: HttpExchange): void {
  const received = receive(exchange, Date.now());
  const { status, headers, text } = errorFor(exchange.target, error, received.requestId);
  exchange.send(status, withCommonHeaders(received, headers, { version, leaving: () => false }), text);
}
