import { formatUsd } from '#shared/money.ts';
import { dayMs } from '../ledger/period.ts';
import type { Administrator, KeySummary } from '../operations/operator/operator.ts';
import type { GatewayCommand, OptionTexts, Output } from './gateway-command.ts';
import { parseAmount, parseDay, parseScopes, scopesMeaning } from './values.ts';

export function define(program: GatewayCommand): void {
  const key = program.command('key').description('API keys of accounts');
  key
    .command('create')
    .description('makes an API key, and shows it this once')
    .argument('<ACCOUNT>')
    .option('--label <TEXT>', 'what the key is for')
    .option('--scope <SCOPES>', scopesMeaning)
    .option('--limit <USD>', 'what the key may ever spend')
    .option('--expires <DATE>', "the key's last day (UTC), such as 2027-01-31")
    .example(
      'KEY=$(gateway key create $ACCOUNT --label laptop | tail -1)',
      'gateway key create $ACCOUNT --scope chat --limit 5 --expires 2027-01-31',
      'gateway key create $ACCOUNT --scope account      # reads the books, makes and revokes keys',
    )
    .operates(createKey);
  key
    .command('list')
    .description('keys of an account, with what they spent')
    .argument('<ACCOUNT>')
    .example('gateway key list $ACCOUNT')
    .operates(listKeys);
  key
    .command('revoke')
    .description('refuses a key from now on, and those that it minted')
    .argument('<KEY>')
    .example('gateway key revoke key_01JD…      # and the keys that it minted')
    .operates(async (operator, id: string) => {
      await operator.revokeKey(id);
      return {
        lines: ['Revoked. Running gateways refuse it, and the keys that it minted, within two seconds:', id],
        json: { id },
      };
    });
}

async function createKey(
  operator: Administrator,
  accountId: string,
  { label, scope, limit, expires }: OptionTexts<'label' | 'scope' | 'limit' | 'expires'>,
): Promise<Output> {
  const created = await operator.createKey({
    accountId,
    ...(label === undefined ? {} : { label }),
    scopes: parseScopes(scope),
    ...(limit === undefined ? {} : { spendLimit: parseAmount(limit) }),
    // The date is the key's last day, in UTC.
    ...(expires === undefined ? {} : { expiresAt: Date.parse(`${parseDay(expires)}T00:00:00Z`) + dayMs }),
  });
  return { lines: [`Key ${created.id}. It is shown only now; keep it safe:`, created.key], json: created };
}

async function listKeys(operator: Administrator, accountId: string): Promise<Output> {
  const keys = await operator.listKeys(accountId);
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

function boundsText({ spent, spendLimit, expiresAt }: KeySummary): string {
  const limit = spendLimit === null ? '' : ` of $${formatUsd(spendLimit)}`;
  const until = expiresAt === null ? '' : `, until ${new Date(expiresAt).toISOString()}`;
  return `$${formatUsd(spent)}${limit}${until}`;
}
