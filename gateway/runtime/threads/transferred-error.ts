import { AppError, type AppErrorDetails, type ErrorCode } from '#shared/errors.ts';

/** An error on its way between threads, which hand on no class. */
export interface TransferredError {
  /** Null: not one of ours. */
  readonly code: ErrorCode | null;
  readonly message: string;
  readonly more: AppErrorDetails;
}

export function transferredError(error: unknown): TransferredError {
  if (!(error instanceof AppError)) return { code: null, message: String(error), more: {} };
  const { code, message, param, provider, details, retryAfterMs } = error;
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  return { code, message, more: { param, provider, ...(details ? { details } : {}), ...wait } };
}

export const receivedError = ({ code, message, more }: TransferredError): Error =>
  code === null ? new Error(message) : new AppError(code, message, more);
