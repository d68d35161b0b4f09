import { AppError } from '#shared/errors.ts';

/** Careful reading of foreign JSON: whatever is not of the type that is expected is as good as absent. */

export type JsonObject = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {});
export const asArray = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const asText = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** A token count: a non-negative whole number, else null. */
export const asCount = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;

/** Whether each of these fields is a count, or is not there. */
export const hasCountsOnly = (value: JsonObject, names: readonly string[]): boolean =>
  names.every((name) => value[name] === undefined || value[name] === null || asCount(value[name]) !== null);

/** Reads one event of an upstream stream; what is not a JSON object is `upstream_bad_response`. */
export function parseEvent(text: string, provider: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw badEvent(provider, cause);
  }
  if (!isObject(value)) throw badEvent(provider, undefined);
  return value;
}

const badEvent = (provider: string, cause: unknown) =>
  new AppError('upstream_bad_response', 'The provider sent something that is not valid JSON.', { provider, cause });
