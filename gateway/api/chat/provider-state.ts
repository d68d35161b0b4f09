import type { JsonObject } from '#shared/json/foreign-json.ts';
import { requestLimits } from '../../runtime/json/json-limits.ts';
import { parseWithin } from '../../runtime/json/parse-json.ts';

/**
 * A provider's opaque state of a tool call (`extra_content`, wire contract §1.6), as the text in which other APIs carry it: the encrypted
 * content of a reasoning item, the signature of a thinking block. It is not secret, and is trusted no more than `extra_content`.
 */
const mark = 'portico.';

/** Stands for a missing state: clients take a text without a signature for one whose signature was lost. */
export const noState = `${mark}none`;

export const stateText = (state: JsonObject): string =>
  `${mark}${Buffer.from(JSON.stringify(state)).toString('base64url')}`;

/** Reads the state from such a text. Null for any other text. */
export function getState(text: string): JsonObject | null {
  if (!text.startsWith(mark)) return null;
  const value = parseWithin(Buffer.from(text.slice(mark.length), 'base64url').toString('utf8'), requestLimits);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}
