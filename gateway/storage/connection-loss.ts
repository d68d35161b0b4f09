import { AppError, isDiskFull } from '#shared/errors.ts';

/** Classes and codes of SQLSTATE after which the same work may be begun again: lost, full, shutting down, starting, rolled back. */
const sqlStates = /^(08...|53300|57P0[123]|40001|40P01)$/;
const systemCodes = new Set(['ECONNRESET', 'ECONNREFUSED', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT']);
/** What `pg` says without a code. */
const messages =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/**
 * Whether a transaction failed because the database was lost, so that nobody knows if it was committed. Only work that
 * changes nothing when it is repeated may then be repeated.
 */
export function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && (sqlStates.test(code) || systemCodes.has(code))) return true;
  return messages.test(error.message);
}

const retryAfterMs = 2_000;

/** What a caller is told where the database was lost, or has no space left: 503, for that passes. Any other error as it is. */
export function databaseFault(error: unknown): unknown {
  const again = (message: string) => new AppError('server_overloaded', message, { retryAfterMs, cause: error });
  if (isConnectionLoss(error)) return again('The gateway cannot reach its database. Try again in a moment.');
  if (isDiskFull(error))
    return again('The gateway cannot write its books, because their disk is full. Try again later.');
  return error;
}
