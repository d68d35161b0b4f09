import { formatUsd, parseUsd } from '#shared/money.ts';
import type { Plan } from './principal.ts';

/** What a plan may include or leave out. */
export const planFeatures = ['chat', 'router', 'byok', 'usage_api'] as const;

/** A plan's limits as they are written and answered; null: not limited (wire contract §7). */
export const getLimits = (plan: Plan) => ({
  requests_per_minute: plan.requestsPerMinute,
  tokens_per_minute: plan.tokensPerMinute,
  concurrent_requests: plan.concurrentRequests,
  requests_per_day: plan.requestsPerDay,
  monthly_spend_usd: plan.monthlySpend === null ? null : formatUsd(plan.monthlySpend),
  max_output_tokens: plan.maxOutputTokens,
  models: [...plan.models],
});

const unlimited = {
  billing: 'prepaid',
  features: planFeatures,
  requestsPerMinute: null,
  tokensPerMinute: null,
  concurrentRequests: null,
  requestsPerDay: null,
  monthlySpend: null,
  maxOutputTokens: null,
  models: ['*'],
} as const;

/** What an account gets where nobody says otherwise: every model, the sandbox included, as far as its credits go. */
export const defaultPlan = 'pro';

/** What accounts may do where an operator defines nothing else, as data (wire contract §7). */
export const plans: readonly Plan[] = [
  {
    ...unlimited,
    id: 'free',
    name: 'Free',
    requestsPerMinute: 20,
    tokensPerMinute: 40_000,
    concurrentRequests: 4,
    requestsPerDay: 200,
    monthlySpend: parseUsd('5'),
    maxOutputTokens: 8192,
  },
  {
    ...unlimited,
    id: 'pro',
    name: 'Pro',
    requestsPerMinute: 300,
    tokensPerMinute: 400_000,
    concurrentRequests: 32,
    monthlySpend: parseUsd('200'),
  },
  {
    ...unlimited,
    id: 'enterprise',
    name: 'Enterprise',
    requestsPerMinute: 3000,
    tokensPerMinute: 4_000_000,
    concurrentRequests: 256,
  },
  /** The desktop's own account: the person pays the providers directly, so costs are recorded and never refused. */
  {
    ...unlimited,
    id: 'local',
    name: 'Local',
    billing: 'meter_only',
    requestsPerMinute: 600,
    concurrentRequests: 16,
    models: ['*', '!sandbox/*'],
  },
  /** Test credits for the simulated provider; they buy nothing else. */
  {
    ...unlimited,
    id: 'sandbox',
    name: 'Sandbox',
    requestsPerMinute: 600,
    concurrentRequests: 16,
    models: ['sandbox/*'],
  },
];

const byId = new Map(plans.map((plan) => [plan.id, plan]));

/** The plan with this id; always the same object, until it is defined anew. */
export type PlanOf = (id: string) => Plan;

/** What an account may do whose plan nobody knows any more: nothing. */
const withoutPlan = (id: string): Plan => ({ ...unlimited, id, name: id, features: [], models: [] });

/** The plans that ship, where no others are defined. */
export const getPlan: PlanOf = (id) => byId.get(id) ?? withoutPlan(id);
