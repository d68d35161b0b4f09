import { AppError } from '#shared/errors.ts';
import { formatUsd, type NanoUsd, parseUsd } from '#shared/money.ts';
import { type Command, type CommandInput, command, type Output } from './command.ts';
import { identityCommands } from './identity-commands.ts';
import { ledgerCommands } from './ledger-commands.ts';

/** The operator's commands, by what is typed. */
export const commands: Readonly<Record<string, Command>> = {
  'account create': command(createAccount, {
    options: ['name', 'plan', 'email'],
    required: ['name'],
    createsDatabase: true,
  }),
  'account list': command(listAccounts),
  'credit grant': command(grantCredit, { arguments: ['ACCOUNT', 'USD'], options: ['description', 'id'] }),
  'key create': command(createKey, { arguments: ['ACCOUNT'], options: ['label'] }),
  'key list': command(listKeys, { arguments: ['ACCOUNT'] }),
  'key revoke': command(revokeKey, { arguments: ['KEY'] }),
  ...identityCommands,
  ...ledgerCommands,
};

async function createAccount({ operator, option }: CommandInput): Promise<Output> {
  const plan = option('plan');
  const email = option('email');
  const account = await operator.createAccount({
    name: option('name') ?? '',
    ...(plan === undefined ? {} : { plan }),
    ...(email === undefined ? {} : { email }),
  });
  return {
    lines: [`Account "${account.name}" on the plan "${account.plan}":`, account.id],
    json: moneyAsText(account),
  };
}

async function listAccounts({ operator }: CommandInput): Promise<Output> {
  const accounts = await operator.listAccounts();
  return {
    lines: accounts.map(({ id, name, plan, status, balance }) =>
      [id, plan, status, `$${formatUsd(balance)}`, name].join('\t'),
    ),
    json: accounts.map(moneyAsText),
  };
}

async function grantCredit({ operator, positionals, option }: CommandInput): Promise<Output> {
  const [accountId = '', text = ''] = positionals;
  const amount = readAmount(text);
  const description = option('description');
  const id = option('id');
  const entry = await operator.grant({
    accountId,
    amount,
    ...(description === undefined ? {} : { description }),
    ...(id === undefined ? {} : { id }),
  });
  return { lines: [`$${formatUsd(amount)} granted to ${accountId}:`, entry.id], json: entry };
}

async function createKey({ operator, positionals, option }: CommandInput): Promise<Output> {
  const label = option('label');
  const created = await operator.createKey({
    accountId: positionals[0] ?? '',
    ...(label === undefined ? {} : { label }),
  });
  return { lines: [`Key ${created.id}. It is shown only now; keep it safe:`, created.key], json: created };
}

async function listKeys({ operator, positionals }: CommandInput): Promise<Output> {
  const keys = await operator.listKeys(positionals[0] ?? '');
  return {
    lines: keys.map((key) =>
      [key.id, `${key.prefix}…`, key.revokedAt === null ? 'active' : 'revoked', key.label ?? ''].join('\t'),
    ),
    json: keys,
  };
}

async function revokeKey({ operator, positionals }: CommandInput): Promise<Output> {
  const [id = ''] = positionals;
  await operator.revokeKey(id);
  return { lines: ['Revoked. Running gateways refuse it within two seconds:', id], json: { id } };
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
