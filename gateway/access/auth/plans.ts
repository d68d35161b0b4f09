import { formatUsd, parseUsd } from '#shared/money.ts';
import type { Plan } from './principal.ts';

/** The features that a plan may include. */
export const planFeatures = ['chat', 'router', 'byok', 'usage_api'] as const;

/** Returns a plan's limits in the form of the wire. Null: not limited (wire contract §7). */
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

/** The plan of an account that is created without one: every model, including the sandbox, as long as its credits last. */
export const defaultPlan = 'pro';

/** The plans that ship with the gateway, used unless the operator defines others (wire contract §7). */
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
  /** The desktop's own account. The person pays the providers directly, so costs are recorded and never refused. */
  {
    ...unlimited,
    id: 'local',
    name: 'Local',
    billing: 'meter_only',
    requestsPerMinute: 600,
    concurrentRequests: 16,
    models: ['*', '!sandbox/*'],
  },
  /** Test credits for the simulated provider. They pay for nothing else. */
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

/** Returns the plan with this id: always the same object, until the plan is defined again. */
export type PlanOf = (id: string) => Plan;

/** A plan for an account whose own doesn't exist any more. It allows nothing. */
const withoutPlan = (id: string): Plan => ({ ...unlimited, id, name: id, features: [], models: [] });

/** Returns a plan that ships with the gateway. */
export const getPlan: PlanOf = (id) => byId.get(id) ?? withoutPlan(id);
