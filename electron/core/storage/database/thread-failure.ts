import { AppError } from '#shared/errors.ts';

/** A failure on its way between threads, which hand on the message and the stack of an error, but not its code. */
export interface ThreadFailure {
  readonly error: unknown;
  readonly code: string | null;
}

/** An error of our own that masks another one is sent with the code of that one: a full disk, for example. */
export function sentFailure(error: unknown): ThreadFailure {
  const cause = error instanceof AppError ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : null;
  return { error, code };
}

export const receivedFailure = ({ error, code }: ThreadFailure): unknown =>
  code !== null && error instanceof Error ? Object.assign(error, { code }) : error;
