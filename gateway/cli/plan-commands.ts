import { formatUsd } from '#shared/money.ts';
import { plans } from '../auth/plans.ts';
import type { Plan } from '../auth/principal.ts';
import type { Output } from './command-input.ts';

export async function listPlans(): Promise<Output> {
  return { lines: plans.map(planLine), json: plans.map(planJson) };
}

const perMinute = (limit: number | null, what: string) => (limit === null ? [] : [`${limit} ${what}/min`]);

const planLine = (plan: Plan) =>
  [
    plan.id,
    plan.billing,
    [
      ...perMinute(plan.requestsPerMinute, 'requests'),
      ...perMinute(plan.tokensPerMinute, 'tokens'),
      ...(plan.concurrentRequests === null ? [] : [`${plan.concurrentRequests} at a time`]),
      ...(plan.requestsPerDay === null ? [] : [`${plan.requestsPerDay} requests/day`]),
      ...(plan.monthlySpend === null ? [] : [`$${formatUsd(plan.monthlySpend)}/month`]),
      ...(plan.maxOutputTokens === null ? [] : [`${plan.maxOutputTokens} output tokens`]),
    ].join(', '),
    `models ${plan.models.join(' ')}`,
  ].join('\t');

const planJson = ({ monthlySpend, ...plan }: Plan) => ({
  ...plan,
  monthlySpend: monthlySpend === null ? null : formatUsd(monthlySpend),
});
