import { AppError } from '#shared/errors.ts';

const retryAfterMs = 2_000;

/**
 * The write-ahead log can't be written at the moment because the disk is full or broken. Nothing of the attempted write has
 * happened.
 */
export class WriteAheadLogFault extends AppError {
  constructor(cause: unknown) {
    super('server_overloaded', 'The gateway cannot write its books at the moment. Try again in a moment.', {
      retryAfterMs,
      cause,
    });
  }
}
