import { AppError } from '#shared/errors.ts';

/** An error on its way between threads. Threads copy the message and stack of an error but not its code. */
export interface ThreadFailure {
  readonly error: unknown;
  readonly code: string | null;
}

/** If an AppError masks another error, it is sent with that error's code, for example of a full disk. */
export function sentFailure(error: unknown): ThreadFailure {
  const cause = error instanceof AppError ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : null;
  return { error, code };
}

export const receivedFailure = ({ error, code }: ThreadFailure): unknown =>
  code !== null && error instanceof Error ? Object.assign(error, { code }) : error;
