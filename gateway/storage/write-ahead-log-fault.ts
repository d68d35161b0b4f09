import { AppError } from '#shared/errors.ts';

const retryAfterMs = 2_000;

/** The journal cannot be written at the moment: the disk is full, or broken. What was to be written has not happened. */
export class WriteAheadLogFault extends AppError {
  constructor(cause: unknown) {
    super('server_overloaded', 'The gateway cannot write its books at the moment. Try again in a moment.', {
      retryAfterMs,
      cause,
    });
  }
}
