import { scopesMeaning } from './define-accounts.ts';
import type { GatewayCommand } from './gateway-command.ts';

const commands = () => import('./identity-commands.ts');

/** Defines the commands for users of an account and their tokens (wire contract §4.6). */
export function defineIdentities(program: GatewayCommand): void {
  const user = program.command('user').description('people of an account, for whom tokens speak');
  user
    .command('create')
    .description('makes a user of an account')
    .argument('<ACCOUNT>')
    .needs('--name <NAME>', 'what it is called')
    .option('--email <ADDRESS>', 'where its owner is reached')
    .example('USER_ID=$(gateway user create $ACCOUNT --name "Ada" | tail -1)')
    .operates(async () => (await commands()).createUser);
  user
    .command('list')
    .description('users of an account')
    .argument('<ACCOUNT>')
    .example('gateway user list $ACCOUNT')
    .operates(async () => (await commands()).listUsers);
  user
    .command('disable')
    .description('refuses the tokens of a user, and the keys made with them')
    .argument('<USER>')
    .example('gateway user disable $USER_ID')
    .operates(async () => (await commands()).disableUser);
  user
    .command('enable')
    .description('lets a user in again')
    .argument('<USER>')
    .example('gateway user enable $USER_ID')
    .operates(async () => (await commands()).enableUser);
  defineSecret(program.command('secret').description('the secret behind API keys and tokens'));
  defineTokens(program.command('token').description('tokens (JWT) of users, and the keys that sign them'));
}

function defineSecret(secret: GatewayCommand): void {
  secret
    .command('replace')
    .description('takes the given secret in the place of a lost one: keys and tokens made with that one work no more')
    .example('PORTICO_KEY_PEPPER=$NEW gateway secret replace && gateway token rotate --at-once')
    .operates(async () => (await commands()).replaceSecret);
}

function defineTokens(token: GatewayCommand): void {
  token
    .command('issue')
    .description('makes a token, and shows it this once')
    .needs('--sub <USER>', 'whom the token speaks for')
    .option('--scope <SCOPES>', scopesMeaning)
    .option('--ttl <TIME>', 'how long the token lives: 90s, 15m, 24h, at most 24h', '15m')
    .example('TOKEN=$(gateway token issue --sub $USER_ID --scope chat,models --ttl 15m | tail -1)')
    .operates(async () => (await commands()).issueToken);
  token
    .command('revoke')
    .description('refuses a token, or all of a user or an account')
    .argument('<ID>')
    .example(
      'gateway token revoke tok_01JD…      # one token',
      'gateway token revoke $USER_ID       # all of a user',
      'gateway token revoke $ACCOUNT       # all of an account',
    )
    .operates(async () => (await commands()).revokeTokens);
  token
    .command('rotate')
    .description('brings in the next signing key')
    .option('--at-once', 'for a leaked key: the next one signs now, and every token of the old one is refused')
    .example('gateway token rotate', 'gateway token rotate --at-once      # the key has leaked')
    .operates(async () => (await commands()).rotateKeys);
}
