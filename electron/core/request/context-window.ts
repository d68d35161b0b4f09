export interface WindowInput {
  /** Input tokens of each message, oldest first; the last one is the question. */
  readonly sizes: readonly number[];
  /** Whether a request may begin with this message, which must be the user’s. */
  readonly beginnings: readonly boolean[];
  /** Tokens sent in any case: system prompt, summary. */
  readonly fixed: number;
  /** The model’s context length; null if unknown. */
  readonly limit: number | null;
  /** Tokens reserved for the answer. */
  readonly reserve: number;
  /** The most messages a request may have (wire contract §1.3). */
  readonly maxMessages: number;
}

/**
 * How many of the oldest messages are left out. The question always stays, however long; what is kept begins with a
 * message of the user, if one is left.
 */
export function outsideCount({ sizes, beginnings, fixed, limit, reserve, maxMessages }: WindowInput): number {
  const last = sizes.length - 1;
  let freeTokens = (limit ?? Number.POSITIVE_INFINITY) - fixed - reserve - (sizes[last] ?? 0);
  let first = Math.max(0, last);
  while (first > 0 && sizes.length - first < maxMessages && (sizes[first - 1] ?? 0) <= freeTokens) {
    first -= 1;
    freeTokens -= sizes[first] ?? 0;
  }
  if (first === 0) return 0;
  while (first < last && !beginnings[first]) first += 1;
  return first;
}

const usualAnswer = 4096;

/** Tokens reserved for an answer: its limit, else a usual length; never more than half of the context. */
export function reserveFor(maxTokens: number | null, longest: number | null, limit: number | null): number {
  const wanted = maxTokens ?? Math.min(usualAnswer, longest ?? usualAnswer);
  return limit === null ? wanted : Math.min(wanted, Math.floor(limit / 2));
}
