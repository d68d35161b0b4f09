import { AppError } from '#shared/errors.ts';
import { formatUsd, type NanoUsd } from '#shared/money.ts';
import { defaultPlan, plans } from '../access/auth/plans.ts';
import type { AccountLimits, Administrator } from '../operations/operator/operator.ts';
import type { GatewayCommand, OptionTexts, Output } from './gateway-command.ts';
import { parseAmount } from './values.ts';

const planNames = `${plans.map(({ id }) => id).join(', ')}, or one of your own (default: ${defaultPlan}, which may use every model, the simulated sandbox included, as far as its credits go)`;

export function define(program: GatewayCommand): void {
  const account = program.command('account').description('who pays');
  account
    .command('create')
    .description('makes an account, and the database where there is none')
    .needs('--name <NAME>', 'what it is called')
    .option('--plan <PLAN>', planNames)
    .option('--email <ADDRESS>', 'where its owner is reached')
    .example('gateway account create --name "My team" --plan pro')
    .operates(async (operator, options: { name: string; plan?: string; email?: string }) => {
      const created = await operator.createAccount(options);
      return {
        lines: [`Account "${created.name}" on the plan "${created.plan}":`, created.id],
        json: moneyAsText(created),
      };
    }, true);
  account
    .command('list')
    .description('accounts with their balances')
    .example('gateway account list --json')
    .operates(async (operator) => {
      const accounts = await operator.listAccounts();
      return {
        lines: accounts.map(({ id, name, plan, status, balance }) =>
          [id, plan, status, `$${formatUsd(balance)}`, name].join('\t'),
        ),
        json: accounts.map(moneyAsText),
      };
    });
  account
    .command('suspend')
    .description('refuses its requests from now on')
    .argument('<ACCOUNT>')
    .example('gateway account suspend $ACCOUNT')
    .operates((operator, id: string) => setStatus(operator, id, 'suspended'));
  account
    .command('resume')
    .description('takes its requests again')
    .argument('<ACCOUNT>')
    .example('gateway account resume $ACCOUNT')
    .operates((operator, id: string) => setStatus(operator, id, 'active'));
  account
    .command('plan')
    .description('gives it another plan')
    .argument('<ACCOUNT>')
    .argument('<PLAN>')
    .example('gateway account plan $ACCOUNT team')
    .operates(async (operator, id: string, plan: string) => {
      await operator.setAccountPlan(id, plan);
      return { lines: [`On the plan "${plan}". Running gateways know within two seconds:`, id], json: { id, plan } };
    });
  account
    .command('limits')
    .description(
      'what its keys may spend together in a UTC day and month, and on models: shows it, and sets what is given',
    )
    .argument('<ACCOUNT>')
    .option('--day <USD>', 'the most for a day, or none')
    .option('--month <USD>', 'the most for a month, or none')
    .option(
      '--model <MODEL=USD>',
      'the most for a model in a month, or none; may be repeated',
      (text, before: string[] = []) => [...before, text],
    )
    .example(
      'gateway account limits $ACCOUNT',
      'gateway account limits $ACCOUNT --day 5 --month none --model openai/gpt-5=20',
    )
    .operates(limitAccount);
}

async function setStatus(operator: Administrator, id: string, status: 'active' | 'suspended'): Promise<Output> {
  await operator.setAccountStatus(id, status);
  const word = status === 'active' ? 'Resumed' : 'Suspended';
  return { lines: [`${word}. Running gateways know within two seconds:`, id], json: { id, status } };
}

/** Sets the limits that were given, then shows all limits of the account. */
async function limitAccount(
  operator: Administrator,
  id: string,
  { day, month, model = [] }: OptionTexts<'day' | 'month'> & { readonly model?: readonly string[] },
): Promise<Output> {
  await operator.limitAccount(id, {
    ...(day === undefined ? {} : { day: parseLimit(day) }),
    ...(month === undefined ? {} : { month: parseLimit(month) }),
    models: Object.fromEntries(model.map(parseModelLimit)),
  });
  const limits = await operator.accountLimits(id);
  const line = (name: string, { limit, used }: AccountLimits['day']) =>
    [name, limit === null ? 'no limit' : `limit $${formatUsd(limit)}`, `used $${formatUsd(used)}`].join('\t');
  const inText = ({ limit, used }: AccountLimits['day']) => ({
    limit_usd: limit === null ? null : formatUsd(limit),
    used_usd: formatUsd(used),
  });
  const { exceptKey, models } = limits;
  return {
    lines: [
      line('day', limits.day),
      line('month', limits.month),
      ...models.map((limit) => line(`${limit.model}, month`, limit)),
      ...(exceptKey === null ? [] : [`except\t${exceptKey}, which may pass them`]),
    ],
    json: {
      id,
      day: inText(limits.day),
      month: inText(limits.month),
      models: models.map((limit) => ({ model: limit.model, ...inText(limit) })),
      except_key: exceptKey,
    },
  };
}

/** A model's id contains no `=`. */
function parseModelLimit(text: string): [model: string, limit: NanoUsd | null] {
  const [, model, amount] = /^([^=\s]+\/[^=\s]+)=(.+)$/.exec(text) ?? [];
  if (model !== undefined && amount !== undefined) return [model, parseLimit(amount)];
  throw new AppError('invalid_input', `"${text}" is not a model and an amount in USD, such as openai/gpt-5=20.`);
}

const parseLimit = (text: string): NanoUsd | null => (text === 'none' ? null : parseAmount(text));

const moneyAsText = <T extends { balance: NanoUsd; held: NanoUsd }>({ balance, held, ...rest }: T) => ({
  ...rest,
  balance_usd: formatUsd(balance),
  held_usd: formatUsd(held),
});
