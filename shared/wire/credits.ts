import { z } from 'zod';
import { listOf, unixSeconds, usdAmount } from './scalars.ts';

export const transactionType = z.enum(['grant', 'purchase', 'usage', 'refund', 'adjustment', 'expiry', 'byok_fee']);

/** A line of the ledger. Lines are only ever added; their sum is the balance. */
export const creditTransaction = z
  .looseObject({
    id: z.string(),
    object: z.literal('credit_transaction'),
    type: transactionType,
    amount: usdAmount,
    balance_after: usdAmount,
    currency: z.literal('USD'),
    created: unixSeconds,
    description: z.string().nullable(),
    request_id: z.string().nullable(),
    provider: z.string().nullable(),
    model: z.string().nullable(),
    estimated: z.boolean(),
  })
  .meta({ id: 'CreditTransaction' });

/** `GET /credits` and `GET /v1/credits` (wire contract §2.4). */
export const credits = z
  .looseObject({
    object: z.literal('credits'),
    currency: z.literal('USD'),
    balance: usdAmount,
    held: usdAmount,
    available: usdAmount,
    total_granted: usdAmount,
    total_used: usdAmount,
    transactions: listOf(creditTransaction),
  })
  .meta({ id: 'Credits' });

export type CreditTransaction = z.infer<typeof creditTransaction>;
export type Credits = z.infer<typeof credits>;
