import type { Administrator } from '../operations/operator/operator.ts';
import type { GatewayCommand, Output } from './gateway-command.ts';

/** The people of an account (wire contract §4.6). */
export function define(program: GatewayCommand): void {
  const user = program.command('user').description('people of an account, for whom tokens speak');
  user
    .command('create')
    .description('makes a user of an account')
    .argument('<ACCOUNT>')
    .needs('--name <NAME>', 'what it is called')
    .option('--email <ADDRESS>', 'where its owner is reached')
    .example('USER_ID=$(gateway user create $ACCOUNT --name "Ada" | tail -1)')
    .operates(async (operator, accountId: string, options: { name: string; email?: string }) => {
      const created = await operator.createUser({ accountId, ...options });
      return { lines: [`User "${created.name}" of ${created.accountId}:`, created.id], json: created };
    });
  user
    .command('list')
    .description('users of an account')
    .argument('<ACCOUNT>')
    .example('gateway user list $ACCOUNT')
    .operates(async (operator, accountId: string) => {
      const users = await operator.listUsers(accountId);
      return { lines: users.map(({ id, status, name }) => [id, status, name].join('\t')), json: users };
    });
  user
    .command('disable')
    .description('refuses the tokens of a user, and the keys made with them')
    .argument('<USER>')
    .example('gateway user disable $USER_ID')
    .operates((operator, id: string) => setStatus(operator, id, 'disabled'));
  user
    .command('enable')
    .description('lets a user in again')
    .argument('<USER>')
    .example('gateway user enable $USER_ID')
    .operates((operator, id: string) => setStatus(operator, id, 'active'));
}

async function setStatus(operator: Administrator, id: string, status: 'active' | 'disabled'): Promise<Output> {
  await operator.setUserStatus(id, status);
  const message =
    status === 'active'
      ? 'Enabled.'
      : 'Disabled. Running gateways refuse its tokens, and the keys made with them, within two seconds:';
  return { lines: [message, id], json: { id, status } };
}
