import type { ErrorCode } from '#shared/errors.ts';
import type { Principal } from '../access/auth/principal.ts';
import type { RateLimitLease } from '../access/limits/rate-limit-lease.ts';
import type { BodyPlace } from '../runtime/body/body-blocks.ts';
import { errorFor } from './errors/error-for.ts';
import type { AnswerWriter, HeaderFields, HttpExchange } from './exchange.ts';
import { toPath } from './policies.ts';
import {
  admitReceived,
  knownError,
  logAnswered,
  type ReceiveDeps,
  type Received,
  receive,
  release,
  withCommonHeaders,
} from './receive.ts';

/** A request that may be answered, and how. */
export interface Admitted {
  readonly requestId: string;
  readonly clientRequestId: string | null;
  readonly path: string;
  readonly principal: Principal;
  readonly pass: RateLimitLease | null;
  readonly place: BodyPlace;
  /** The request's head, body and client. */
  readonly request: HttpExchange;
  send(status: number, headers: HeaderFields, text: string): void;
  open(status: number, headers: HeaderFields): AnswerWriter;
}

export type ExchangeHandler = (admitted: Admitted) => Promise<void>;

/** Answers exchanges: admission, the route's handler, an error's envelope. Never rejects. */
export function createExchangeAnswerer(
  deps: ReceiveDeps,
  handlers: ReadonlyMap<string, ExchangeHandler>,
): (exchange: HttpExchange) => Promise<void> {
  return async (exchange) => {
    const received = receive(exchange, deps.now());
    try {
      const waits = admitReceived(received, exchange.address, deps);
      if (waits instanceof Promise) await waits;
      const path = toPath(exchange.target);
      await handlers.get(path)?.(admitted(exchange, received, path, deps));
    } catch (error) {
      refuse(error, exchange, received, deps);
    }
    await release(received);
  };
}

function admitted(exchange: HttpExchange, received: Received, path: string, deps: ReceiveDeps): Admitted {
  const { requestId, clientRequestId, principal, pass, place } = received;
  if (!principal || !place) throw new Error(`the route ${path} was not admitted`);
  return {
    requestId,
    clientRequestId,
    path,
    principal,
    pass,
    place,
    request: exchange,
    send: (status, headers, text) => sendAnswer(exchange, received, status, headers, text, null, deps),
    open(status, headers) {
      const answerWriter = exchange.open(status, withCommonHeaders(received, headers, deps));
      logAnswered(received, status, null, deps);
      return answerWriter;
    },
  };
}

function sendAnswer(
  exchange: HttpExchange,
  received: Received,
  status: number,
  headers: HeaderFields,
  text: string,
  code: ErrorCode | null,
  deps: ReceiveDeps,
): void {
  exchange.send(status, withCommonHeaders(received, headers, deps), text);
  logAnswered(received, status, code, deps);
}

function refuse(error: unknown, exchange: HttpExchange, received: Received, deps: ReceiveDeps): void {
  const known = knownError(error, received, deps);
  const { status, headers, text } = errorFor(exchange.target, known, received.requestId);
  try {
    sendAnswer(exchange, received, status, headers, text, known.code, deps);
  } catch {
    exchange.destroy();
  }
}
