import { z } from 'zod';
import { usdAmount } from '../../wire/scalars.ts';

export const billKind = z.enum([
  'input',
  'audio',
  'cache_read',
  'cache_write',
  'cache_write_1h',
  'reasoning',
  'output',
  /** Images that the model made. */
  'image',
  'tools',
  /** Web searches; the line's number counts searches, not tokens. */
  'web_search',
  'request',
  /** Charged beyond the model's price, such as a fee. Negative if less was charged. */
  'other',
]);

/** A cost in its parts, which add up to it exactly. */
export const bill = z.object({
  lines: z.array(z.object({ kind: billKind, tokens: z.int().nullable(), usd: usdAmount })),
  /** Set if the amount is an estimate: the most that the provider may charge. */
  upTo: usdAmount.optional(),
  /**
   * The day of the price that was used, and whether the user entered that price. Absent if the gateway doesn't report
   * it or several prices were used.
   */
  price: z.object({ asOf: z.string().nullable(), entered: z.boolean() }).optional(),
});

/** The cost of a conversation including deleted messages, as in the ledger. */
export const conversationTotal = z.object({
  usd: usdAmount,
  testCreditsUsd: usdAmount,
  requests: z.int(),
  /** Requests to simulated models, which test credits pay for. */
  testRequests: z.int(),
  /** Requests with unknown costs. They are never counted as $0. */
  unknown: z.int(),
  /** Requests whose cost is an estimate or a list price and isn't in the ledger. */
  notBilled: z.int(),
  /** Costs of requests other than answers, by purpose. The sums above include them. */
  auxiliary: z.array(z.object({ purpose: z.string(), requests: z.int(), usd: usdAmount, testCredits: z.boolean() })),
});

export type Bill = z.infer<typeof bill>;
export type BillKind = z.infer<typeof billKind>;
export type ConversationTotal = z.infer<typeof conversationTotal>;
