import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '#shared/errors.ts';
import { newId } from '../db/id.ts';
import { uploadStalled } from '../overload/upload-pace.ts';
import { errorEnvelope } from './error-response.ts';

/**
 * Gives the answers that Node makes on its own (what arrives is no HTTP, its headers are too large, or it comes too slowly)
 * the error envelope of all others (wire contract §3.1). Nothing is written into an answer that has begun.
 */
export function answerClientErrors(server: Server, now: () => number = Date.now): void {
  const begun = new WeakMap<Socket, ServerResponse>();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    begun.set(request.socket, response);
    response.once('close', () => begun.get(request.socket) === response && begun.delete(request.socket));
  });
  server.on('clientError', (cause: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket;
    const mayAnswer = socket.writable && cause.code !== 'ECONNRESET' && !begun.get(socket)?.headersSent;
    if (mayAnswer) socket.end(rawResponse(faultOf(cause), newId('req', now())));
    else socket.destroy();
  });
}

/** What Node found, in the words of the contract. */
export function faultOf({ code }: NodeJS.ErrnoException): AppError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new AppError('headers_too_large', 'The request line and headers are larger than 16 KiB.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new AppError('request_timeout', 'The request took too long to arrive. Send it again.', {
        retryAfterMs: 1000,
      });
    case 'ERR_UPLOAD_STALLED':
      return uploadStalled();
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new AppError('request_too_large', 'The extensions of the body’s chunks are too large.');
    default:
      return malformed();
  }
}

export const malformed = () => new AppError('malformed_request', 'What arrived is not a valid HTTP/1.1 request.');

function rawResponse(error: AppError, requestId: string): string {
  const body = JSON.stringify(errorEnvelope(error, requestId));
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'Cache-Control: no-store',
    'x-content-type-options: nosniff',
    ...(error.retryAfterMs === undefined ? [] : [`Retry-After: ${Math.ceil(error.retryAfterMs / 1000)}`]),
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
