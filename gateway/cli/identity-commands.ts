import { AppError } from '#shared/errors.ts';
import type { Scope } from '#shared/wire/account.ts';
import { allScopes, clientScopes } from '../access/auth/scopes.ts';
import type { TokenKeySummary } from '../access/auth/signing-keys.ts';
import type { CommandInput, Output } from './command-input.ts';

export async function createUser({
  operator,
  positionals,
  options,
}: CommandInput<{ name: string; email?: string }>): Promise<Output> {
  const user = await operator.createUser({ accountId: positionals[0] ?? '', ...options });
  return { lines: [`User "${user.name}" of ${user.accountId}:`, user.id], json: user };
}

export async function listUsers({ operator, positionals }: CommandInput): Promise<Output> {
  const users = await operator.listUsers(positionals[0] ?? '');
  return { lines: users.map(({ id, status, name }) => [id, status, name].join('\t')), json: users };
}

export const disableUser = (input: CommandInput) => setStatus(input, 'disabled');
export const enableUser = (input: CommandInput) => setStatus(input, 'active');

async function setStatus({ operator, positionals }: CommandInput, status: 'active' | 'disabled'): Promise<Output> {
  const [id = ''] = positionals;
  await operator.setUserStatus(id, status);
  const message =
    status === 'active'
      ? 'Enabled.'
      : 'Disabled. Running gateways refuse its tokens, and the keys made with them, within two seconds:';
  return { lines: [message, id], json: { id, status } };
}

export async function issueToken({
  operator,
  options,
}: CommandInput<{ sub: string; scope?: string; ttl: string }>): Promise<Output> {
  const { sub: userId, scope, ttl } = options;
  const issued = await operator.issueToken({ userId, scopes: readScopes(scope), lifetimeS: readLifetime(ttl) });
  const until = new Date(issued.expiresAt * 1000).toISOString();
  return { lines: [`Token ${issued.id}, good until ${until}. It is shown only now:`, issued.token], json: issued };
}

export async function revokeTokens({ operator, positionals }: CommandInput): Promise<Output> {
  const [id = ''] = positionals;
  await operator.revokeTokens(id);
  return {
    lines: ['Revoked. Running gateways refuse it, and the keys made with it, within two seconds:', id],
    json: { id },
  };
}

export async function rotateKeys({ operator, options }: CommandInput<{ atOnce?: true }>): Promise<Output> {
  const keys = await operator.rotateTokenKeys({ atOnce: options.atOnce ?? false });
  return { lines: keys.map(keyLine), json: keys };
}

export async function replaceSecret({ operator, database }: CommandInput): Promise<Output> {
  await operator.replaceKeySecret();
  const message =
    'Replaced. API keys made with the lost secret are refused: make new ones. "token rotate --at-once" makes new keys for ' +
    'tokens. Servers that still have the lost secret make no more keys:';
  return { lines: [message, database], json: { replaced: true } };
}

const time = (milliseconds: number | null) => (milliseconds === null ? '–' : new Date(milliseconds).toISOString());

const keyLine = ({ kid, state, signsFrom, retiresAt }: TokenKeySummary) =>
  [state, `signs from ${time(signsFrom)}`, `retires ${time(retiresAt)}`, kid].join('\t');

function readScopes(text: string | undefined): readonly Scope[] {
  if (text === undefined) return clientScopes;
  return text.split(',').map((word) => {
    const found = allScopes.find((known) => known === word.trim());
    if (!found) throw new AppError('invalid_input', `There is no scope "${word}". Scopes: ${allScopes.join(', ')}.`);
    return found;
  });
}

const unitS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

function readLifetime(text: string): number {
  const [, amount, unit = ''] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  if (amount === undefined)
    throw new AppError('invalid_input', `"${text}" is not a duration, such as 90s, 15m or 24h.`);
  return Number(amount) * (unitS[unit] ?? 1);
}
