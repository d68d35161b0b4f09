import { z } from 'zod';
import { account, credential, period, plan, verification } from '../wire/account.ts';
import { completionChunk, completionUsage } from '../wire/chat-response.ts';
import { credits, creditTransaction } from '../wire/credits.ts';
import { model } from '../wire/model.ts';
import { count, listOf, unixSeconds, usdAmount } from '../wire/scalars.ts';
import { usage, usageBucket } from '../wire/usage.ts';

/**
 * What a gateway tells. The interface leaves the shapes of most answers open (gateway interface §4.3): of a gateway with
 * other shapes than ours (wire contract) only a part is known, and what it does not tell is null here, never zero.
 */

/** A model. `other`: read from another shape; the gateway takes what any OpenAI-compatible server takes, and no more. */
export const toldModel = model.extend({ other: z.literal(true).optional() });
export const toldModelList = listOf(toldModel);

const toldPlan = plan.extend({
  billing: plan.shape.billing.nullable(),
  limits: plan.shape.limits.nullable(),
});

/** Of a key; null where the gateway says nothing of it. */
const toldCredential = credential.extend({ scopes: z.array(z.string()).nullable() });

export const toldBalance = z.looseObject({
  currency: z.literal('USD'),
  amount: usdAmount,
  held: usdAmount.nullable(),
  available: usdAmount.nullable(),
  total_granted: usdAmount.nullable(),
  total_used: usdAmount.nullable(),
});

export const toldAccount = account.extend({
  id: z.string().nullable(),
  name: z.string().nullable(),
  created: unixSeconds.nullable(),
  status: account.shape.status.nullable(),
  plan: toldPlan.nullable(),
  balance: toldBalance.nullable(),
  usage: z
    .looseObject({
      /** Null: the gateway does not say of when these figures are. */
      period: period.nullable(),
      requests: count.nullable(),
      total_tokens: count.nullable(),
      cost_usd: usdAmount.nullable(),
    })
    .nullable(),
  credential: toldCredential.nullable(),
});

export const toldVerification = verification.extend({
  credential: toldCredential.nullable(),
  account: toldAccount.omit({ credential: true }),
});

export const toldTransaction = creditTransaction.extend({
  /** Null: a type that the interface does not have; `description` has the gateway's word for it. */
  type: creditTransaction.shape.type.nullable(),
  balance_after: usdAmount.nullable(),
  created: unixSeconds.nullable(),
});

export const toldTransactions = listOf(toldTransaction).extend({ told: z.literal(false).optional() });

export const toldCredits = credits.extend({
  held: usdAmount.nullable(),
  available: usdAmount.nullable(),
  total_granted: usdAmount.nullable(),
  total_used: usdAmount.nullable(),
  /** `told: false`: the gateway tells the balance and no history. */
  transactions: toldTransactions,
});

const toldCounters = {
  requests: count.nullable(),
  succeeded: count.nullable(),
  failed: count.nullable(),
  cancelled: count.nullable(),
  prompt_tokens: count.nullable(),
  cached_tokens: count.nullable(),
  completion_tokens: count.nullable(),
  reasoning_tokens: count.nullable(),
  total_tokens: count.nullable(),
  cost_usd: usdAmount.nullable(),
  byok_requests: count.nullable(),
  byok_upstream_cost_usd: usdAmount.nullable(),
};

export const toldBucket = usageBucket.extend(toldCounters);

export const toldUsage = usage.extend({
  /** Null: the gateway does not say of when its figures are, so they are of no period that was asked for. */
  period: usage.shape.period.nullable(),
  totals: z.looseObject(toldCounters),
  data: z.array(toldBucket),
  /** False: the gateway tells sums alone, or groups of another kind. */
  grouped: z.literal(false).optional(),
});

const toldCompletionUsage = completionUsage.extend({
  cost_usd: usdAmount.nullable(),
  upstream_cost_usd: usdAmount.nullable(),
});

/** A chunk of a streamed completion. */
export const toldChunk = completionChunk.extend({ usage: toldCompletionUsage.nullish() });

export type ToldModel = z.infer<typeof toldModel>;
export type ToldAccount = z.infer<typeof toldAccount>;
export type ToldVerification = z.infer<typeof toldVerification>;
export type ToldBalance = z.infer<typeof toldBalance>;
export type ToldCredits = z.infer<typeof toldCredits>;
export type ToldTransaction = z.infer<typeof toldTransaction>;
export type ToldUsage = z.infer<typeof toldUsage>;
export type ToldBucket = z.infer<typeof toldBucket>;
export type ToldChunk = z.infer<typeof toldChunk>;
