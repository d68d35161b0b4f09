/**
 * The platform copies an error between threads without its class and its own fields. An `AppError` carries the code and the
 * details that the caller needs, so it's sent as plain data and built again on the other side. To check: `worker-pool.test.ts`
 * expects the code of a task's error.
 */

import { AppError, type AppErrorDetails, type ErrorCode } from '#shared/errors.ts';

/** An error in a form that can be sent between threads. */
export interface TransferredError {
  /** Null when the error isn't an `AppError`. */
  readonly code: ErrorCode | null;
  readonly message: string;
  readonly more: AppErrorDetails;
}

export function toTransferredError(error: unknown): TransferredError {
  if (!(error instanceof AppError)) return { code: null, message: String(error), more: {} };
  const { code, message, param, provider, details, retryAfterMs } = error;
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  return { code, message, more: { param, provider, ...(details ? { details } : {}), ...wait } };
}

export const fromTransferredError = ({ code, message, more }: TransferredError): Error =>
  code === null ? new Error(message) : new AppError(code, message, more);
