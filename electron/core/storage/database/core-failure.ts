import { type AppError, isDamagedDatabase, isDiskFull, toAppError } from '#shared/errors.ts';
import { refusal } from '#shared/language/refusals.ts';

/** Converts any error of the core to an `AppError`. Errors that the user can do something about keep their meaning. */
export function coreFailure(error: unknown): AppError {
  if (isDiskFull(error)) return refusal('disk_full', 'diskFull', { cause: error });
  if (isDamagedDatabase(error)) return refusal('database_unusable', 'databaseDamaged', { cause: error });
  return toAppError(error);
}
