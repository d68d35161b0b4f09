import { CommanderError } from 'commander';
import { AppError } from '#shared/errors.ts';
import { GatewayCommand, UsageError } from './gateway-command.ts';
import { terminalLines } from './terminal-text.ts';

/** Exit codes: the command failed, or the command line was wrong. */
const failed = 1;
const refused = 2;

/** Each file declares a command, or a group of them, together with the actions. */
const files: Readonly<Record<string, () => Promise<{ define(program: GatewayCommand): void }>>> = {
  serve: () => import('./serve.ts'),
  account: () => import('./account.ts'),
  credit: () => import('./credit.ts'),
  key: () => import('./key.ts'),
  ledger: () => import('./ledger.ts'),
  backup: () => import('./backup.ts'),
  user: () => import('./user.ts'),
  secret: () => import('./secret.ts'),
  token: () => import('./token.ts'),
  providers: () => import('./providers.ts'),
  plan: () => import('./plan.ts'),
  prices: () => import('./prices.ts'),
  openapi: () => import('./openapi.ts'),
  postman: () => import('./postman.ts'),
};

/** Runs the command that was typed. The result is the process's output and its exit code. */
export async function runCommand(words: readonly string[]): Promise<void> {
  const typed = words[0] === 'help' ? [...words.slice(1), '--help'] : words;
  try {
    await parse(typed);
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return;
    const usage = error instanceof UsageError;
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${terminalLines(message)}${usage ? ' See --help.' : ''}\n`);
    if (!usage && !(error instanceof AppError) && error instanceof Error)
      process.stderr.write(`${terminalLines(error.stack ?? '')}\n`);
    process.exitCode = usage || (error instanceof AppError && error.code === 'database_in_use') ? refused : failed;
  }
}

/** Loads only the file of the typed command, unless the command line is wrong: another command may have been meant. */
async function parse(typed: readonly string[]): Promise<void> {
  const [name = ''] = (await gatewayProgram([])).parseOptions([...typed]).operands;
  try {
    if (Object.hasOwn(files, name)) {
      await (await gatewayProgram([name])).parseAsync(typed, { from: 'user' });
      return;
    }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
  }
  await (await gatewayProgram()).parseAsync(typed, { from: 'user' });
}

/** Creates the command line: every command, or those named, with their arguments, options and examples. */
export async function gatewayProgram(names: readonly string[] = Object.keys(files)): Promise<GatewayCommand> {
  const program = new GatewayCommand('gateway')
    .description('Portico gateway: one API for many AI providers, with accounts, credits and exact books.')
    .exitOverride()
    .helpOption('-h, --help', 'this text; behind a command its own, for example "gateway token --help"');
  program.addOption(
    program
      .createOption(
        '--db <DB>',
        'SQLite file or postgres:// URL. One server a file: a second one is refused with exit code 2; PostgreSQL has any number',
      )
      .env('PORTICO_DB')
      .default('./portico-gateway.db'),
  );
  program.option('--json', 'print JSON; without it the id or the key is the last line');
  for (const name of names) (await files[name]?.())?.define(program);
  return program;
}
