import type { JsonObject } from '#shared/json/foreign-json.ts';
import { requestLimits } from '../../runtime/json/json-limits.ts';
import { parseWithin } from '../../runtime/json/parse-json.ts';

/**
 * A provider's opaque state of a call (`extra_content`, wire contract §1.6) as the text that other interfaces carry it in: the
 * encrypted content of a reasoning item, the signature of a thinking block. It is no secret, and nothing is believed of it that
 * would not be believed of `extra_content`.
 */
const mark = 'portico.';

/** In the place of a state where there is none: clients take a text without a signature for one that was lost on its way. */
export const noState = `${mark}none`;

export const stateText = (state: JsonObject): string =>
  `${mark}${Buffer.from(JSON.stringify(state)).toString('base64url')}`;

/** The state in such a text; null of any other text. */
export function getState(text: string): JsonObject | null {
  if (!text.startsWith(mark)) return null;
  const value = parseWithin(Buffer.from(text.slice(mark.length), 'base64url').toString('utf8'), requestLimits);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}
