import { oc } from '@orpc/contract';
import { z } from 'zod';
import { usdAmount } from '../../wire/scalars.ts';
import { id } from './fields.ts';

export const billKind = z.enum([
  'input',
  'audio',
  'cache_read',
  'cache_write',
  'cache_write_1h',
  'reasoning',
  'output',
  'tools',
  'request',
  /** What the gateway charged beyond its price row, such as a fee; negative where it charged less. */
  'other',
]);

/** A cost in its parts, which add up to it exactly. */
export const bill = z.object({
  lines: z.array(z.object({ kind: billKind, tokens: z.int().nullable(), usd: usdAmount })),
});

/** What a conversation cost, deleted messages included: the ledger does not forget them either. */
export const conversationTotal = z.object({
  usd: usdAmount,
  testCreditsUsd: usdAmount,
  requests: z.int(),
  /** Requests whose cost nobody knows: never counted as $0. */
  unknown: z.int(),
  /** Requests in the sums that are estimates or list prices of one's own key, not ledger entries. */
  notBilled: z.int(),
  /** Spent on other things than answers, by purpose; part of the sums. */
  auxiliary: z.array(z.object({ purpose: z.string(), requests: z.int(), usd: usdAmount, testCredits: z.boolean() })),
});

export const billsContract = {
  total: oc.input(z.object({ conversationId: id })).output(conversationTotal),
};

export type Bill = z.infer<typeof bill>;
export type BillKind = z.infer<typeof billKind>;
export type ConversationTotal = z.infer<typeof conversationTotal>;
