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
  /** Searches of the web; its number is that of the searches. */
  'web_search',
  'request',
  /** Charged beyond its price, such as a fee; negative if less. */
  'other',
]);

/** A cost in its parts, which add up to it exactly. */
export const bill = z.object({
  lines: z.array(z.object({ kind: billKind, tokens: z.int().nullable(), usd: usdAmount })),
  /** The amount is an estimate, and the provider may bill up to this. */
  upTo: usdAmount.optional(),
  /** Its price: the day that it is of, and whether the person has entered it. Absent: the gateway does not tell, or several. */
  price: z.object({ asOf: z.string().nullable(), entered: z.boolean() }).optional(),
});

/** The cost of a conversation including deleted messages, as in the ledger. */
export const conversationTotal = z.object({
  usd: usdAmount,
  testCreditsUsd: usdAmount,
  requests: z.int(),
  /** Those of them that simulated models answered or failed. */
  testRequests: z.int(),
  /** Requests with unknown costs, never counted as $0. */
  unknown: z.int(),
  /** Requests whose cost is an estimate or a list price, not in the ledger. */
  notBilled: z.int(),
  /** Costs other than answers, by purpose; included in the sums. */
  auxiliary: z.array(z.object({ purpose: z.string(), requests: z.int(), usd: usdAmount, testCredits: z.boolean() })),
});

export type Bill = z.infer<typeof bill>;
export type BillKind = z.infer<typeof billKind>;
export type ConversationTotal = z.infer<typeof conversationTotal>;
