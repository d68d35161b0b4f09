import { formatUsd } from '#shared/money.ts';
import { plans } from '../auth/plans.ts';
import type { Plan } from '../auth/principal.ts';
import { openApiDocument } from '../openapi/document.ts';
import { postmanCollection } from '../openapi/postman.ts';
import type { Output, ReferenceInput } from './command-input.ts';

export const printOpenApi = async (): Promise<Output> => printed(openApiDocument());

export const printPostman = async ({ options }: ReferenceInput<{ baseUrl: string }>): Promise<Output> =>
  printed(postmanCollection(openApiDocument(), options.baseUrl));

/** A file to redirect into: JSON either way. */
const printed = (json: unknown): Output => ({ lines: JSON.stringify(json, null, 2).split('\n'), json });

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
