import { AppError, isDiskFull } from '#shared/errors.ts';

/**
 * SQLSTATE codes after which the same work may be retried: connection lost, too many connections, shutting down, starting up,
 * rolled back.
 */
const sqlStates = /^(08...|53300|57P0[123]|40001|40P01)$/;
const systemCodes = new Set(['ECONNRESET', 'ECONNREFUSED', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT']);
/** Messages of `pg` for errors that have no code. */
const messages =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/**
 * Whether a transaction failed because the database was lost. Nobody knows then whether it was committed, so only idempotent work
 * may be retried.
 */
export function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && (sqlStates.test(code) || systemCodes.has(code))) return true;
  return messages.test(error.message);
}

const retryAfterMs = 2_000;

/**
 * Returns the error for the caller when the database was lost or its disk is full: 503, because that passes. Other errors are
 * returned unchanged.
 */
export function databaseFault(error: unknown): unknown {
  const retryLater = (message: string) => new AppError('server_overloaded', message, { retryAfterMs, cause: error });
  if (isConnectionLoss(error)) return retryLater('The gateway cannot reach its database. Try again in a moment.');
  if (isDiskFull(error))
    return retryLater('The gateway cannot write its books, because their disk is full. Try again later.');
  return error;
}
