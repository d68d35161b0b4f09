import { z } from 'zod';
import { AppError } from '#shared/errors.ts';
import { formatUsd, type NanoUsd, parseUsd } from '#shared/money.ts';
import { type Scope, scope } from '#shared/wire/account.ts';
import { dayMs } from '../ledger/period.ts';
import type { AccountLimits, KeySummary } from '../operations/operator/operator.ts';
import type { CommandInput, Output } from './command-input.ts';

export async function createAccount({
  operator,
  options,
}: CommandInput<{ name: string; plan?: string; email?: string }>): Promise<Output> {
  const account = await operator.createAccount(options);
  return {
    lines: [`Account "${account.name}" on the plan "${account.plan}":`, account.id],
    json: moneyAsText(account),
  };
}

export async function listAccounts({ operator }: CommandInput): Promise<Output> {
  const accounts = await operator.listAccounts();
  return {
    lines: accounts.map(({ id, name, plan, status, balance }) =>
      [id, plan, status, `$${formatUsd(balance)}`, name].join('\t'),
    ),
    json: accounts.map(moneyAsText),
  };
}

export async function grantCredit({
  operator,
  positionals,
  options,
}: CommandInput<{ description?: string; id?: string }>): Promise<Output> {
  const [accountId = '', text = ''] = positionals;
  const amount = readAmount(text);
  const entry = await operator.grant({ accountId, amount, ...options });
  return { lines: [`$${formatUsd(amount)} granted to ${accountId}:`, entry.id], json: entry };
}

export async function changePlan({ operator, positionals }: CommandInput): Promise<Output> {
  const [id = '', plan = ''] = positionals;
  await operator.setAccountPlan(id, plan);
  return { lines: [`On the plan "${plan}". Running gateways know within two seconds:`, id], json: { id, plan } };
}

/** Sets the limits that were given, then shows all limits of the account. */
export async function limitAccount({
  operator,
  positionals,
  options,
}: CommandInput<{ day?: string; month?: string; model?: readonly string[] }>): Promise<Output> {
  const [id = ''] = positionals;
  const { day, month, model = [] } = options;
  await operator.limitAccount(id, {
    ...(day === undefined ? {} : { day: readLimit(day) }),
    ...(month === undefined ? {} : { month: readLimit(month) }),
    models: Object.fromEntries(model.map(readModelLimit)),
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
function readModelLimit(text: string): [model: string, limit: NanoUsd | null] {
  const [, model, amount] = /^([^=\s]+\/[^=\s]+)=(.+)$/.exec(text) ?? [];
  if (model !== undefined && amount !== undefined) return [model, readLimit(amount)];
  throw new AppError('invalid_input', `"${text}" is not a model and an amount in USD, such as openai/gpt-5=20.`);
}

const readLimit = (text: string): NanoUsd | null => (text === 'none' ? null : readAmount(text));

async function setStatus({ operator, positionals }: CommandInput, status: 'active' | 'suspended'): Promise<Output> {
  const [id = ''] = positionals;
  await operator.setAccountStatus(id, status);
  const word = status === 'active' ? 'Resumed' : 'Suspended';
  return { lines: [`${word}. Running gateways know within two seconds:`, id], json: { id, status } };
}

export const suspendAccount = (input: CommandInput) => setStatus(input, 'suspended');
export const resumeAccount = (input: CommandInput) => setStatus(input, 'active');

interface KeyOptions {
  readonly label?: string;
  readonly scope?: string;
  readonly limit?: string;
  readonly expires?: string;
}

export async function createKey({ operator, positionals, options }: CommandInput<KeyOptions>): Promise<Output> {
  const { label, scope, limit, expires } = options;
  const created = await operator.createKey({
    accountId: positionals[0] ?? '',
    ...(label === undefined ? {} : { label }),
    ...(scope === undefined ? {} : { scopes: readScopes(scope) }),
    ...(limit === undefined ? {} : { spendLimit: readAmount(limit) }),
    ...(expires === undefined ? {} : { expiresAt: endOfDay(expires) }),
  });
  return { lines: [`Key ${created.id}. It is shown only now; keep it safe:`, created.key], json: created };
}

export async function listKeys({ operator, positionals }: CommandInput): Promise<Output> {
  const keys = await operator.listKeys(positionals[0] ?? '');
  return {
    lines: keys.map((key) =>
      [key.id, `${key.prefix}…`, key.revokedAt === null ? 'active' : 'revoked', boundsText(key), key.label ?? ''].join(
        '\t',
      ),
    ),
    json: keys.map(({ spendLimit, spent, ...key }) => ({
      ...key,
      spend_limit_usd: spendLimit === null ? null : formatUsd(spendLimit),
      spent_usd: formatUsd(spent),
    })),
  };
}

export async function revokeKey({ operator, positionals }: CommandInput): Promise<Output> {
  const [id = ''] = positionals;
  await operator.revokeKey(id);
  return {
    lines: ['Revoked. Running gateways refuse it, and the keys that it minted, within two seconds:', id],
    json: { id },
  };
}

function boundsText({ spent, spendLimit, expiresAt }: KeySummary): string {
  const limit = spendLimit === null ? '' : ` of $${formatUsd(spendLimit)}`;
  const until = expiresAt === null ? '' : `, until ${new Date(expiresAt).toISOString()}`;
  return `$${formatUsd(spent)}${limit}${until}`;
}

function readScopes(text: string): Scope[] {
  return text.split(',').map((name) => {
    const known = scope.safeParse(name.trim());
    if (known.success) return known.data;
    throw new AppError('invalid_input', `There is no scope "${name}". Scopes: ${scope.options.join(', ')}.`);
  });
}

/** The date is the key's last day, in UTC. */
function endOfDay(text: string): number {
  const day = z.iso.date().safeParse(text);
  if (!day.success) throw new AppError('invalid_input', `"${text}" is not a date, such as 2027-01-31.`);
  return Date.parse(`${day.data}T00:00:00Z`) + dayMs;
}

function readAmount(text: string): NanoUsd {
  try {
    return parseUsd(text);
  } catch (cause) {
    throw new AppError('invalid_input', `"${text}" is not an amount in USD, such as 20 or 0.5.`, { cause });
  }
}

const moneyAsText = <T extends { balance: NanoUsd; held: NanoUsd }>({ balance, held, ...rest }: T) => ({
  ...rest,
  balance_usd: formatUsd(balance),
  held_usd: formatUsd(held),
});
