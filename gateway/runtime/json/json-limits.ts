/**
 * The platform's `JSON.parse` has no limits: a body of 25 MiB may be one image or eight million empty objects, which take far
 * more time and memory to build. These are the limits that `parse-json.ts` checks before anything is built (decision 028). To
 * check: `json-outline.test.ts` and `json-value.test.ts`.
 */

/** How much a JSON text may contain, however short it is: the cost of building it depends on this and not on its length. */
export interface JsonLimits {
  readonly depth: number;
  /**
   * How many keys one object may have, and how many keys of the sender's own may exist in total. Names of the API
   * (`json-words.ts`) don't count in the total, because they come with every message.
   */
  readonly keys: number;
  /** Items of one array. */
  readonly items: number;
  /** Values of any kind, including arrays and objects. */
  readonly values: number;
}

/** Limits for a request. 2,048 messages with 20 images each are 211,000 values, without any key of the sender's own. */
export const requestLimits: JsonLimits = { depth: 64, keys: 10_000, items: 10_000, values: 250_000 };

/**
 * Limits for a complete JSON answer of an upstream. With the log probabilities of 20 alternatives, a token is about 160 values,
 * so 8 MiB of them are 6,000 tokens.
 */
export const answerLimits: JsonLimits = { depth: 64, keys: 100_000, items: 50_000, values: 1_000_000 };

/** Limits for one event of an upstream's stream. */
export const eventLimits: JsonLimits = { depth: 64, keys: 5_000, items: 10_000, values: 20_000 };
