import { type AppError, isDiskFull, toAppError } from '#shared/errors.ts';
import { refusal } from '#shared/language/refusals.ts';

/** Whatever was thrown in the core as an `AppError`: a full disk by its name, because who uses the app can do something about it. */
export const coreFailure = (error: unknown): AppError =>
  isDiskFull(error) ? refusal('disk_full', 'diskFull', { cause: error }) : toAppError(error);
