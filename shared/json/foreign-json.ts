/** Careful reading of JSON from others: a value of an unexpected type counts as absent. */

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {});
export const asArray = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const asText = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Returns a token count, which is a non-negative integer, or null. */
export const asCount = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;

/** Whether each of these fields is a count or is absent. */
export const hasCountsOnly = (value: JsonObject, names: readonly string[]): boolean =>
  names.every((name) => value[name] === undefined || value[name] === null || asCount(value[name]) !== null);
