import { AppError } from '#shared/errors.ts';
import type { Scope } from '#shared/wire/account.ts';
import { allScopes, clientScopes } from '../auth/scopes.ts';
import type { TokenKeySummary } from '../auth/signing-keys.ts';
import { type Command, type CommandInput, command, type Output } from './command.ts';

/** Users and their tokens (wire contract §4.6). */
export const identityCommands: Readonly<Record<string, Command>> = {
  'user create': command(createUser, { arguments: ['ACCOUNT'], options: ['name', 'email'], required: ['name'] }),
  'user list': command(listUsers, { arguments: ['ACCOUNT'] }),
  'user disable': command((input) => setStatus(input, 'disabled'), { arguments: ['USER'] }),
  'user enable': command((input) => setStatus(input, 'active'), { arguments: ['USER'] }),
  'token issue': command(issueToken, { options: ['sub', 'scope', 'ttl'], required: ['sub'] }),
  'token revoke': command(revokeTokens, { arguments: ['ID'] }),
  'token rotate': command(rotateKeys, { options: ['at-once'] }),
};

async function createUser({ operator, positionals, option }: CommandInput): Promise<Output> {
  const email = option('email');
  const user = await operator.createUser({
    accountId: positionals[0] ?? '',
    name: option('name') ?? '',
    ...(email === undefined ? {} : { email }),
  });
  return { lines: [`User "${user.name}" of ${user.accountId}:`, user.id], json: user };
}

async function listUsers({ operator, positionals }: CommandInput): Promise<Output> {
  const users = await operator.listUsers(positionals[0] ?? '');
  return { lines: users.map(({ id, status, name }) => [id, status, name].join('\t')), json: users };
}

async function setStatus({ operator, positionals }: CommandInput, status: 'active' | 'disabled'): Promise<Output> {
  const [id = ''] = positionals;
  await operator.setUserStatus(id, status);
  const said =
    status === 'active'
      ? 'Enabled.'
      : 'Disabled. Running gateways refuse its tokens, and the keys made with them, within two seconds:';
  return { lines: [said, id], json: { id, status } };
}

async function issueToken({ operator, option }: CommandInput): Promise<Output> {
  const issued = await operator.issueToken({
    userId: option('sub') ?? '',
    scopes: readScopes(option('scope')),
    lifetimeS: readLifetime(option('ttl') ?? '15m'),
  });
  const until = new Date(issued.expiresAt * 1000).toISOString();
  return { lines: [`Token ${issued.id}, good until ${until}. It is shown only now:`, issued.token], json: issued };
}

async function revokeTokens({ operator, positionals }: CommandInput): Promise<Output> {
  const [id = ''] = positionals;
  await operator.revokeTokens(id);
  return {
    lines: ['Revoked. Running gateways refuse it, and the keys made with it, within two seconds:', id],
    json: { id },
  };
}

async function rotateKeys({ operator, flag }: CommandInput): Promise<Output> {
  const keys = await operator.rotateTokenKeys({ atOnce: flag('at-once') });
  return { lines: keys.map(keyLine), json: keys };
}

const time = (milliseconds: number | null) => (milliseconds === null ? '–' : new Date(milliseconds).toISOString());

const keyLine = ({ kid, state, signsFrom, retiresAt }: TokenKeySummary) =>
  [state, `signs from ${time(signsFrom)}`, `retires ${time(retiresAt)}`, kid].join('\t');

function readScopes(text: string | undefined): readonly Scope[] {
  if (text === undefined) return clientScopes;
  return text.split(',').map((word) => {
    const found = allScopes.find((one) => one === word.trim());
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
