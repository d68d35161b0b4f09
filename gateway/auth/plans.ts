import { parseUsd } from '#shared/money.ts';
import type { Plan } from './principal.ts';

const everything = ['chat', 'router', 'byok', 'usage_api'];

const unlimited = {
  billing: 'prepaid',
  features: everything,
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

/** What accounts may do, as data (wire contract §7). */
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

export const findPlan = (id: string): Plan | undefined => plans.find((plan) => plan.id === id);

/** The plan with this id. An account row never names another one. */
export function planOf(id: string): Plan {
  const plan = findPlan(id);
  if (!plan) throw new Error(`there is no plan "${id}"`);
  return plan;
}
