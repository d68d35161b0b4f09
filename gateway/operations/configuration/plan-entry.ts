import { z } from 'zod';
import { parseUsd } from '#shared/money.ts';
import { getLimits, planFeatures } from '../../access/auth/plans.ts';
import type { Plan } from '../../access/auth/principal.ts';

const limit = z.int('must be a whole number').positive('must be at least 1').nullable().default(null);
const modelPattern = z
  .string()
  .regex(
    /^!?[\w.*-]+(?:\/\S+)?$/,
    'must be a model such as "openai/gpt-5.4-mini", with "*" for anything and "!" to leave out',
  );

/** The id of a plan. */
export const planId = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}$/, 'needs up to 32 small letters, digits and "-", a letter first');

/** A plan in the operator's form. What is left out isn't limited (wire contract §7). */
export const planEntry = z.strictObject({
  name: z.string().trim().min(1).max(100).optional(),
  /** With `meter_only`, costs are recorded and nothing is refused for lack of credits. */
  billing: z.enum(['prepaid', 'meter_only'], 'must be prepaid or meter_only').default('prepaid'),
  features: z.array(z.enum(planFeatures, `must be one of ${planFeatures.join(', ')}`)).default([...planFeatures]),
  models: z.array(modelPattern).max(500).default(['*']),
  requests_per_minute: limit,
  tokens_per_minute: limit,
  concurrent_requests: limit,
  requests_per_day: limit,
  monthly_spend_usd: z
    .string()
    .regex(/^\d{1,9}(\.\d{1,9})?$/, 'must be a decimal string in USD, such as "50"')
    .nullable()
    .default(null),
  max_output_tokens: limit,
});

export type PlanEntry = z.infer<typeof planEntry>;

/** Returns the plan that an entry defines. */
export const planFrom = (id: string, entry: PlanEntry): Plan => ({
  id,
  name: entry.name ?? id,
  billing: entry.billing,
  features: [...new Set(entry.features)],
  models: entry.models,
  requestsPerMinute: entry.requests_per_minute,
  tokensPerMinute: entry.tokens_per_minute,
  concurrentRequests: entry.concurrent_requests,
  requestsPerDay: entry.requests_per_day,
  monthlySpend: entry.monthly_spend_usd === null ? null : parseUsd(entry.monthly_spend_usd),
  maxOutputTokens: entry.max_output_tokens,
});

/** Returns the entry that defines a plan: what `plan list --json` shows, and the start of a definition. */
export const toEntry = (plan: Plan): PlanEntry =>
  planEntry.parse({
    name: plan.name,
    billing: plan.billing,
    features: [...plan.features],
    ...getLimits(plan),
  });
