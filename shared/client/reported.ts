import { z } from 'zod';
import { account, credential, period, plan, verification } from '../wire/account.ts';
import { completionChunk, completionUsage } from '../wire/chat-response.ts';
import { credits, creditTransaction } from '../wire/credits.ts';
import { model } from '../wire/model.ts';
import { requestRecord } from '../wire/request-record.ts';
import { count, listOf, unixSeconds, usdAmount } from '../wire/scalars.ts';
import { usage, usageBucket } from '../wire/usage.ts';

/**
 * The shapes of what a gateway reports. The gateway interface leaves most answers open (§4.3). From a gateway whose
 * answers don't have our shape (wire contract), only a part can be read. What it doesn't report is null here, never
 * zero.
 */

/**
 * A model. `other` is set if it was read from another shape than ours; that gateway is assumed to support only what any
 * OpenAI-compatible server does.
 */
export const reportedModel = model.extend({ other: z.literal(true).optional() });
export const reportedModelList = listOf(reportedModel);

const reportedPlan = plan.extend({
  billing: plan.shape.billing.nullable(),
  limits: plan.shape.limits.nullable(),
});

/** Null if the gateway reports no scopes of the key. */
const reportedCredential = credential.extend({ scopes: z.array(z.string()).nullable() });

export const reportedBalance = z.looseObject({
  currency: z.literal('USD'),
  amount: usdAmount,
  held: usdAmount.nullable(),
  available: usdAmount.nullable(),
  total_granted: usdAmount.nullable(),
  total_used: usdAmount.nullable(),
  /** Set if the balance is what this key may still spend. The account may have more. */
  of: z.literal('key').optional(),
});

/** An amount in another currency or in the gateway's own credits. It is never converted. */
export const otherAmount = z.object({
  amount: usdAmount,
  /** A currency code, or the gateway's own word such as `credits`. */
  unit: z.string(),
});

export const reportedAccount = account.extend({
  id: z.string().nullable(),
  name: z.string().nullable(),
  created: unixSeconds.nullable(),
  status: account.shape.status.nullable(),
  plan: reportedPlan.nullable(),
  balance: reportedBalance.nullable(),
  /** The balance of a gateway that doesn't count in USD. */
  otherBalance: otherAmount.nullish(),
  usage: z
    .looseObject({
      /** Null if the gateway doesn't report the period of these figures. */
      period: period.nullable(),
      requests: count.nullable(),
      total_tokens: count.nullable(),
      cost_usd: usdAmount.nullable(),
      unknown_cost_requests: count.nullable().optional(),
      unfinished_requests: count.nullable().optional(),
    })
    .nullable(),
  credential: reportedCredential.nullable(),
});

export const reportedVerification = verification.extend({
  credential: reportedCredential.nullable(),
  account: reportedAccount.omit({ credential: true }),
});

export const reportedTransaction = creditTransaction.extend({
  /** Null if the interface doesn't define the type; `description` then has the gateway's word for it. */
  type: creditTransaction.shape.type.nullable(),
  balance_after: usdAmount.nullable(),
  created: unixSeconds.nullable(),
});

export const reportedTransactions = listOf(reportedTransaction).extend({ reported: z.literal(false).optional() });

export const reportedCredits = credits.extend({
  held: usdAmount.nullable(),
  available: usdAmount.nullable(),
  total_granted: usdAmount.nullable(),
  total_used: usdAmount.nullable(),
  /** `reported` is false if the gateway reports the balance but no history. */
  transactions: reportedTransactions,
});

const reportedCounters = z.object({
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
  unknown_cost_requests: count.nullable().optional(),
  unfinished_requests: count.nullable().optional(),
  byok_requests: count.nullable(),
  byok_upstream_cost_usd: usdAmount.nullable(),
});

export const reportedBucket = usageBucket.extend(reportedCounters.shape);

export const reportedUsage = usage.extend({
  /**
   * Null if the gateway doesn't report the period of its figures. They can't be assumed to be for the requested period.
   */
  period: usage.shape.period.nullable(),
  totals: z.looseObject({ ...reportedCounters.shape, cache_savings_usd: usdAmount.optional() }),
  data: z.array(reportedBucket),
  /** False if the gateway reports only totals, or groups of another kind. */
  grouped: z.literal(false).optional(),
});

const reportedCompletionUsage = completionUsage.extend({
  cost_usd: usdAmount.nullable(),
  upstream_cost_usd: usdAmount.nullable(),
});

/** A chunk of a streamed completion. */
export const reportedChunk = completionChunk.extend({ usage: reportedCompletionUsage.nullish() });

/**
 * `other` is set if it was read from another shape than ours, such as OpenRouter's. The cost is then what that gateway
 * claims to have charged.
 */
export const reportedRequest = requestRecord.extend({ other: z.literal(true).optional() });

export type ReportedModel = z.infer<typeof reportedModel>;
export type ReportedAccount = z.infer<typeof reportedAccount>;
export type ReportedVerification = z.infer<typeof reportedVerification>;
export type ReportedBalance = z.infer<typeof reportedBalance>;
export type OtherAmount = z.infer<typeof otherAmount>;
export type ReportedCredits = z.infer<typeof reportedCredits>;
export type ReportedTransaction = z.infer<typeof reportedTransaction>;
export type ReportedUsage = z.infer<typeof reportedUsage>;
/** Counts and costs of one group, or of all. */
export type ReportedCounters = z.infer<typeof reportedCounters>;
export type ReportedBucket = z.infer<typeof reportedBucket>;
export type ReportedRequest = z.infer<typeof reportedRequest>;
export type ReportedChunk = z.infer<typeof reportedChunk>;
