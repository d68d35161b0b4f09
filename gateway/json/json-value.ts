import { AppError } from '#shared/errors.ts';
import { eventLimits, type JsonLimits } from './json-limits.ts';
import { outlineOf } from './json-outline.ts';

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

/** So short a text takes a moment to read, whatever it holds. */
const shortText = 16_384;

/** Reads foreign JSON that came as a text; undefined where it is none, or holds more than `limits` allow. */
export function parseWithin(text: string, limits: JsonLimits): unknown {
  if (text.length > shortText && outlineOf(Buffer.from(text), '', limits).excess !== null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads one event of an upstream stream; what is not a JSON object, or holds too much, is `upstream_bad_response`. */
export function parseEvent(text: string, provider: string, limits: JsonLimits = eventLimits): JsonObject {
  const value = parseWithin(text, limits);
  if (isObject(value)) return value;
  throw new AppError(
    'upstream_bad_response',
    'The provider sent something that is not valid JSON, or too much of it.',
    {
      provider,
    },
  );
}
