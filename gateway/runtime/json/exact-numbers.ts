/**
 * The platform's `JSON.parse` rounds whole numbers beyond 2^53, such as ids with 19 digits in the arguments of a tool call, and
 * `JSON.stringify` then writes another number than the model wrote. Here such a number becomes the platform's raw JSON, which is
 * written with the same digits. Every other number is parsed as usual, and a text without long whole numbers isn't parsed in
 * another way. To check: `exact-numbers.test.ts`.
 */

import { isObject } from '#shared/json/foreign-json.ts';

/** The platform's functions that the compiler's library doesn't have yet (https://tc39.es/proposal-json-parse-with-source). */
interface ExactJson {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): object;
  isRawJSON(value: unknown): value is { readonly rawJSON: string };
}

const json = JSON as unknown as ExactJson;

/** A whole number that may be too long, between the marks that may stand around a value. */
const longNumber = /[[,:\s]-?\d{16,}\s*[,\]}]/;

/** Parses JSON. Whole numbers that a JavaScript number can't hold keep their digits. Throws as `JSON.parse` does. */
export const parseExact = (text: string): unknown =>
  longNumber.test(text) ? json.parse(text, (_key, value, { source }) => exact(value, source)) : JSON.parse(text);

const exact = (value: unknown, source: string | undefined): unknown =>
  typeof value === 'number' && source !== undefined && /^-?\d{16,}$/.test(source) && String(value) !== source
    ? json.rawJSON(source)
    : value;

export const isExactNumber = (value: unknown): value is { readonly rawJSON: string } => json.isRawJSON(value);

/** Whether a text may have numbers that `parseExact` keeps exact. */
export const mayHaveExactNumbers = (text: string): boolean => longNumber.test(text);

/**
 * Replaces exact numbers by rounded ones, in place, because other code expects numbers. `keeps`: returns true for a member whose
 * value stays exact.
 */
export function roundNumbers(value: unknown, keeps: (owner: object, name: string) => boolean): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (isExactNumber(member)) (value as Record<string, unknown>)[name] = Number(member.rawJSON);
    else if (!keeps(value, name)) roundNumbers(member, keeps);
  }
}

/** Where an exact number was in a value, and its digits. */
export interface PlacedNumber {
  readonly path: readonly string[];
  readonly digits: string;
}

/** Takes the exact numbers out of a value, in place: raw JSON can't be sent between threads. */
export function takeExactNumbers(value: unknown, path: readonly string[] = []): PlacedNumber[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    if (!isExactNumber(member)) return takeExactNumbers(member, [...path, name]);
    (value as Record<string, unknown>)[name] = Number(member.rawJSON);
    return [{ path: [...path, name], digits: member.rawJSON }];
  });
}

/** Puts the numbers back that `takeExactNumbers` took out. */
export function putExactNumbers(value: unknown, numbers: readonly PlacedNumber[]): void {
  for (const { path, digits } of numbers) {
    const name = path.at(-1);
    let owner = value;
    for (const step of path.slice(0, -1))
      owner = isObject(owner) || Array.isArray(owner) ? Reflect.get(owner, step) : null;
    if (name !== undefined && typeof owner === 'object' && owner !== null)
      Reflect.set(owner, name, json.rawJSON(digits));
  }
}
