/** How much a JSON text may hold, however few bytes it takes: what it costs to build goes by this and not by its length. */
export interface JsonLimits {
  readonly depth: number;
  /** Keys of one object, and keys of the sender's own in all: words of the interface (`json-words.ts`) come with each message. */
  readonly keys: number;
  /** Items of one array. */
  readonly items: number;
  /** Values of any kind, containers included. */
  readonly values: number;
}

/** What a request may hold. 2,048 messages of 20 pictures each are 211,000 values and no key of their own. */
export const requestLimits: JsonLimits = { depth: 64, keys: 10_000, items: 10_000, values: 250_000 };

/**
 * What a whole answer of an upstream may hold. With the log probabilities of 20 other tokens each token is some 160 values; 8 MiB of
 * them are 6,000 tokens.
 */
export const answerLimits: JsonLimits = { depth: 64, keys: 100_000, items: 50_000, values: 1_000_000 };

/** What one event of an upstream's stream may hold. */
export const eventLimits: JsonLimits = { depth: 64, keys: 5_000, items: 10_000, values: 20_000 };
