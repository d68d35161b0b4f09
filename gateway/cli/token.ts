import { AppError } from '#shared/errors.ts';
import type { TokenKeySummary } from '../access/auth/signing-keys.ts';
import type { GatewayCommand } from './gateway-command.ts';
import { parseScopes, scopesMeaning } from './values.ts';

/** The tokens of users, and the keys that sign them (wire contract §4.6). */
export function define(program: GatewayCommand): void {
  const token = program.command('token').description('tokens (JWT) of users, and the keys that sign them');
  token
    .command('issue')
    .description('makes a token, and shows it this once')
    .needs('--sub <USER>', 'whom the token speaks for')
    .option('--scope <SCOPES>', scopesMeaning)
    .option('--ttl <TIME>', 'how long the token lives: 90s, 15m, 24h, at most 24h', '15m')
    .example('TOKEN=$(gateway token issue --sub $USER_ID --scope chat,models --ttl 15m | tail -1)')
    .operates(async (operator, options: { sub: string; scope?: string; ttl: string }) => {
      const issued = await operator.issueToken({
        userId: options.sub,
        scopes: parseScopes(options.scope),
        lifetimeS: parseLifetime(options.ttl),
      });
      const until = new Date(issued.expiresAt * 1000).toISOString();
      return { lines: [`Token ${issued.id}, good until ${until}. It is shown only now:`, issued.token], json: issued };
    });
  token
    .command('revoke')
    .description('refuses a token, or all of a user or an account')
    .argument('<ID>')
    .example(
      'gateway token revoke tok_01JD…      # one token',
      'gateway token revoke $USER_ID       # all of a user',
      'gateway token revoke $ACCOUNT       # all of an account',
    )
    .operates(async (operator, id: string) => {
      await operator.revokeTokens(id);
      return {
        lines: ['Revoked. Running gateways refuse it, and the keys made with it, within two seconds:', id],
        json: { id },
      };
    });
  token
    .command('rotate')
    .description('brings in the next signing key')
    .option('--at-once', 'for a leaked key: the next one signs now, and every token of the old one is refused')
    .example('gateway token rotate', 'gateway token rotate --at-once      # the key has leaked')
    .operates(async (operator, { atOnce = false }: { atOnce?: boolean }) => {
      const keys = await operator.rotateTokenKeys({ atOnce });
      return { lines: keys.map(keyLine), json: keys };
    });
}

const time = (milliseconds: number | null) => (milliseconds === null ? '–' : new Date(milliseconds).toISOString());

const keyLine = ({ kid, state, signsFrom, retiresAt }: TokenKeySummary) =>
  [state, `signs from ${time(signsFrom)}`, `retires ${time(retiresAt)}`, kid].join('\t');

const unitS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

function parseLifetime(text: string): number {
  const [, amount, unit = ''] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  if (amount === undefined)
    throw new AppError('invalid_input', `"${text}" is not a duration, such as 90s, 15m or 24h.`);
  return Number(amount) * (unitS[unit] ?? 1);
}
