import { type AppError, isDamagedDatabase, isDiskFull, toAppError } from '#shared/errors.ts';
import { refusal } from '#shared/language/refusals.ts';

/** Whatever was thrown in the core as an `AppError`: by its name where who uses the app can do something about it. */
export function coreFailure(error: unknown): AppError {
  if (isDiskFull(error)) return refusal('disk_full', 'diskFull', { cause: error });
  if (isDamagedDatabase(error)) return refusal('database_unusable', 'databaseDamaged', { cause: error });
  return toAppError(error);
}
