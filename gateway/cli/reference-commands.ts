import { formatUsd } from '#shared/money.ts';
import { plans } from '../auth/plans.ts';
import type { Plan } from '../auth/principal.ts';
import { openApiDocument } from '../openapi/document.ts';
import { postmanCollection } from '../openapi/postman.ts';
import { backupCommands } from './backup-commands.ts';
import { type Output, type ReferenceCommand, referenceCommand } from './command.ts';
import { pricesReference } from './prices-commands.ts';
import { providerCommands } from './provider-commands.ts';

/** What ships with the gateway, and what opens no books by itself. */
export const referenceCommands: Readonly<Record<string, ReferenceCommand>> = {
  'plan list': referenceCommand(listPlans),
  ...pricesReference,
  ...providerCommands,
  ...backupCommands,
  openapi: referenceCommand(async () => printed(openApiDocument())),
  postman: referenceCommand(
    async ({ option }) => printed(postmanCollection(openApiDocument(), option('base-url') ?? defaultBaseUrl)),
    { options: ['base-url'] },
  ),
};

const defaultBaseUrl = 'http://127.0.0.1:8788';

/** A file to redirect into: JSON either way. */
const printed = (json: unknown): Output => ({ lines: JSON.stringify(json, null, 2).split('\n'), json });

async function listPlans(): Promise<Output> {
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
