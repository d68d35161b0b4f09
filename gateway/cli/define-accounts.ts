import { defaultPlan, plans } from '../access/auth/plans.ts';
import type { GatewayCommand } from './gateway-command.ts';

const commands = () => import('./account-commands.ts');
const planNames = `${plans.map(({ id }) => id).join(', ')}, or one of your own (default: ${defaultPlan}, which may use every model, the simulated sandbox included, as far as its credits go)`;

export const scopesMeaning =
  'what a key or token may reach, separated by commas: chat, models, account (default: chat,models; "account" reads the ' +
  'books, and makes and revokes keys)';

/** Defines the commands for accounts, credits, keys, the ledger and backups. */
export function defineAccounts(program: GatewayCommand): void {
  const account = program.command('account').description('who pays');
  account
    .command('create')
    .description('makes an account, and the database where there is none')
    .needs('--name <NAME>', 'what it is called')
    .option('--plan <PLAN>', planNames)
    .option('--email <ADDRESS>', 'where its owner is reached')
    .example('gateway account create --name "My team" --plan pro')
    .operates(async () => (await commands()).createAccount, true);
  account
    .command('list')
    .description('accounts with their balances')
    .example('gateway account list --json')
    .operates(async () => (await commands()).listAccounts);
  account
    .command('suspend')
    .description('refuses its requests from now on')
    .argument('<ACCOUNT>')
    .example('gateway account suspend $ACCOUNT')
    .operates(async () => (await commands()).suspendAccount);
  account
    .command('resume')
    .description('takes its requests again')
    .argument('<ACCOUNT>')
    .example('gateway account resume $ACCOUNT')
    .operates(async () => (await commands()).resumeAccount);
  account
    .command('plan')
    .description('gives it another plan')
    .argument('<ACCOUNT>')
    .argument('<PLAN>')
    .example('gateway account plan $ACCOUNT team')
    .operates(async () => (await commands()).changePlan);
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
    .operates(async () => (await commands()).limitAccount);
  program
    .command('credit')
    .description('what accounts may spend')
    .command('grant')
    .description('adds to the balance of an account')
    .argument('<ACCOUNT>')
    .argument('<USD>')
    .option('--description <TEXT>', 'what the ledger says of it')
    .option('--id <ID>', 'makes a grant happen once, however often the command is repeated')
    .example('gateway credit grant $ACCOUNT 20', 'gateway credit grant $ACCOUNT 5 --id gift-2026-11')
    .operates(async () => (await commands()).grantCredit);
  defineKeys(program.command('key').description('API keys of accounts'));
  program
    .command('ledger')
    .description('the books as a whole')
    .command('verify')
    .description('proves that the books are exact; exit code 1 where they are not')
    .example('gateway ledger verify --db gateway.db && echo exact')
    .operates(async () => (await import('./ledger-commands.ts')).verifyLedger);
  defineBackups(program.command('backup').description('copies of the whole books'));
}

function defineBackups(backup: GatewayCommand): void {
  backup
    .command('create')
    .description('copies the books into a file, while they are served')
    .argument('<FILE>')
    .example('gateway backup create books-2026-11-20.db --db gateway.db')
    .answers(async () => (await import('./backup-commands.ts')).createBackup);
  backup
    .command('restore')
    .description('makes books from a copy, where no database is yet')
    .argument('<FILE>')
    .example('gateway backup restore books-2026-11-20.db --db gateway.db')
    .answers(async () => (await import('./backup-commands.ts')).restoreBackup);
}

function defineKeys(key: GatewayCommand): void {
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
    .operates(async () => (await commands()).createKey);
  key
    .command('list')
    .description('keys of an account, with what they spent')
    .argument('<ACCOUNT>')
    .example('gateway key list $ACCOUNT')
    .operates(async () => (await commands()).listKeys);
  key
    .command('revoke')
    .description('refuses a key from now on, and those that it minted')
    .argument('<KEY>')
    .example('gateway key revoke key_01JD…      # and the keys that it minted')
    .operates(async () => (await commands()).revokeKey);
}
