/** Careful reading of foreign JSON: whatever is not of the type that is expected is as good as absent. */

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
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
