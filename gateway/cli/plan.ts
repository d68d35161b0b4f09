import { AppError } from '#shared/errors.ts';
import { formatUsd } from '#shared/money.ts';
import { plans } from '../access/auth/plans.ts';
import type { Plan } from '../access/auth/principal.ts';
import { toEntry } from '../operations/configuration/plan-entry.ts';
import type { Administrator } from '../operations/operator/operator.ts';
import type { GatewayCommand, OptionTexts, Output } from './gateway-command.ts';
import { onDatabaseIfAny } from './on-database.ts';

const count = (what: string) => `${what}, or "none"`;

/** Defines the commands for plans, both shipped ones and the operator's own. */
export function define(program: GatewayCommand): void {
  const plan = program.command('plan').description('what accounts may do');
  plan
    .command('list')
    .description('plans with their limits')
    .example('gateway plan list')
    .answers(async (_options: object, { database }: GatewayCommand) => {
      const all = (await onDatabaseIfAny(database, (operator) => operator.plans())) ?? plans;
      return { lines: all.map(planLine), json: all.map(planJson) };
    });
  plan
    .command('set')
    .description('defines a plan; of one that is there, what is not said stays')
    .argument('<PLAN>')
    .option('--name <NAME>', 'what it is called')
    .option('--features <LIST>', 'what it includes, separated by commas: chat, router, byok, usage_api (default: all)')
    .option('--models <LIST>', 'models that it includes, with "*" for anything and "!" to leave out (default: *)')
    .option('--billing <WORD>', 'prepaid (default), or meter_only: costs are recorded and never refused')
    .option('--requests-per-minute <N>', count('requests of one credential in a minute'))
    .option('--tokens-per-minute <N>', count('tokens of one credential in a minute'))
    .option('--concurrent-requests <N>', count('requests at a time'))
    .option('--requests-per-day <N>', count('requests of the account in a day (UTC)'))
    .option('--monthly-spend <USD>', count('what the account may spend in a month'))
    .option('--max-output-tokens <N>', count('output tokens of a request'))
    .example(
      'gateway plan set team --features chat,usage_api --models "openai/*,!openai/o3*" --monthly-spend 50',
      'gateway plan set team --requests-per-day none',
    )
    .operates(setPlan, true);
  plan
    .command('remove')
    .description('forgets a plan that no account has; one that ships is then as it ships')
    .argument('<PLAN>')
    .example('gateway plan remove team')
    .operates(async (operator, id: string) => {
      await operator.removePlan(id);
      const ships = plans.some((shipped) => shipped.id === id);
      return { lines: [ships ? 'As it ships again:' : 'Removed:', id], json: { id, removed: true, ships } };
    });
}

type PlanOptions = OptionTexts<
  | 'name'
  | 'billing'
  | 'features'
  | 'models'
  | 'requestsPerMinute'
  | 'tokensPerMinute'
  | 'concurrentRequests'
  | 'requestsPerDay'
  | 'monthlySpend'
  | 'maxOutputTokens'
>;

/** An option that isn't given stays as it was. In a new plan it's unlimited. */
async function setPlan(operator: Administrator, id: string, options: PlanOptions): Promise<Output> {
  const before = (await operator.plans()).find((plan) => plan.id === id);
  const plan = await operator.definePlan(id, { ...(before ? toEntry(before) : {}), ...getChanges(options) } as object);
  return {
    lines: [planLine(plan), 'Running gateways know within a quarter of a minute:', id],
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
