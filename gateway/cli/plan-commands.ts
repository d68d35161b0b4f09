import { AppError } from '#shared/errors.ts';
import { formatUsd } from '#shared/money.ts';
import { plans as shipped } from '../access/auth/plans.ts';
import type { Plan } from '../access/auth/principal.ts';
import { toEntry } from '../operations/configuration/plan-entry.ts';
import type { CommandInput, Output, ReferenceInput } from './command-input.ts';

/** Lists the shipped plans and, if there is a database, those defined in it. */
export async function listPlans({ fromDatabase }: ReferenceInput): Promise<Output> {
  const plans = (await fromDatabase((operator) => operator.plans())) ?? shipped;
  return { lines: plans.map(planLine), json: plans.map(planJson) };
}

export interface PlanOptions {
  readonly name?: string;
  readonly billing?: string;
  readonly features?: string;
  readonly models?: string;
  readonly requestsPerMinute?: string;
  readonly tokensPerMinute?: string;
  readonly concurrentRequests?: string;
  readonly requestsPerDay?: string;
  readonly monthlySpend?: string;
  readonly maxOutputTokens?: string;
}

/** An option that isn't given stays as it was. In a new plan it's unlimited. */
export async function setPlan({ positionals, options, operator }: CommandInput<PlanOptions>): Promise<Output> {
  const [id = ''] = positionals;
  const before = (await operator.plans()).find((plan) => plan.id === id);
  const plan = await operator.definePlan(id, { ...(before ? toEntry(before) : {}), ...getChanges(options) } as object);
  return {
    lines: [`${planLine(plan)}`, 'Running gateways know within a quarter of a minute:', id],
    json: planJson(plan),
  };
}

function getChanges(options: PlanOptions): Record<string, unknown> {
  const { name, billing, features, models, monthlySpend } = options;
  const given: Record<string, unknown> = {
    name,
    billing,
    features: features === undefined ? undefined : getWords(features),
    models: models === undefined ? undefined : getWords(models),
    requests_per_minute: getLimit('requests-per-minute', options.requestsPerMinute),
    tokens_per_minute: getLimit('tokens-per-minute', options.tokensPerMinute),
    concurrent_requests: getLimit('concurrent-requests', options.concurrentRequests),
    requests_per_day: getLimit('requests-per-day', options.requestsPerDay),
    monthly_spend_usd: monthlySpend === 'none' ? null : monthlySpend,
    max_output_tokens: getLimit('max-output-tokens', options.maxOutputTokens),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

const getWords = (text: string) => text.split(/[\s,]+/).filter((word) => word !== '');

function getLimit(name: string, text: string | undefined): number | null | undefined {
  if (text === undefined || text === 'none') return text === 'none' ? null : undefined;
  if (/^\d{1,12}$/.test(text)) return Number(text);
  throw new AppError('invalid_input', `--${name} must be a whole number, or "none" for no limit; it is "${text}".`);
}

export async function removePlan({ positionals, operator }: CommandInput): Promise<Output> {
  const [id = ''] = positionals;
  await operator.removePlan(id);
  const ships = shipped.some((plan) => plan.id === id);
  return { lines: [ships ? 'As it ships again:' : 'Removed:', id], json: { id, removed: true, ships } };
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
    `features ${plan.features.join(' ')}`,
  ].join('\t');

const planJson = ({ monthlySpend, ...plan }: Plan) => ({
  ...plan,
  monthlySpend: monthlySpend === null ? null : formatUsd(monthlySpend),
});
