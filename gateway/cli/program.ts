import { CommanderError } from 'commander';
import { AppError } from '#shared/errors.ts';
import { defineAccounts } from './define-accounts.ts';
import { defineIdentities } from './define-identities.ts';
import { definePlans } from './define-plans.ts';
import { definePrices } from './define-prices.ts';
import { defineProviders } from './define-providers.ts';
import { defaultPort } from './environment-help.ts';
import { GatewayCommand, UsageError } from './gateway-command.ts';
import { terminalLines } from './terminal-text.ts';

/** Exit codes: the command failed, or the command line was wrong. */
const failed = 1;
const refused = 2;

/** Runs the command that was typed. The result is the process's output and its exit code. */
export async function runCommand(words: readonly string[]): Promise<void> {
  const typed = words[0] === 'help' ? [...words.slice(1), '--help'] : words;
  try {
    await gatewayProgram().parseAsync(typed, { from: 'user' });
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

/** Creates the complete command line: every command with its arguments, options and examples. */
export function gatewayProgram(): GatewayCommand {
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
  defineServe(program);
  defineAccounts(program);
  defineIdentities(program);
  defineProviders(program);
  definePlans(program);
  definePrices(program);
  defineReference(program);
  return program;
}

interface ServeFlags {
  readonly db: string;
  readonly port: number;
  readonly host: string;
  readonly config?: string;
  readonly logRequests?: true;
}

const configForm =
  'JSON: {"providers": {"openai": {"apiKey": {"env": "OPENAI_KEY"}}, "cellar": {"kind": "ollama", "baseUrl": ' +
  '"http://10.0.0.5:11434/v1"}}, "plans": {"team": {"models": ["openai/*"]}}, "sandbox": true, "hosts": [], ' +
  '"aliases": {"fast-code": "openai/gpt-5.6-sol"}}; docs/gateway.md has all of it';

function defineServe(program: GatewayCommand): void {
  program
    .command('serve')
    .description('serves the gateway until it is told to stop')
    .option('--port <N>', 'port to serve on, 0 for any free one', readPort, defaultPort)
    .option('--host <H>', 'address to bind', '127.0.0.1')
    .option('--config <FILE>', configForm)
    .option('--log-requests', 'write a line for every request, not only for those that fail')
    .example('gateway serve --port 8788 --db gateway.db', 'gateway serve --db postgres://user@db.example/portico')
    .action(async (_flags, command: GatewayCommand) => {
      const {
        db: database,
        port,
        host,
        config: configPath,
        logRequests = false,
      } = command.optsWithGlobals<ServeFlags>();
      const { serve } = await import('./serve.ts');
      await serve({ database, port, host, configPath, logRequests, env: process.env });
    });
}

function readPort(given: string): number {
  const port = /^\d{1,5}$/.test(given) ? Number(given) : Number.NaN;
  if (!(port <= 65_535)) throw new UsageError(`--port must be a number from 0 to 65535, not "${given}".`);
  return port;
}

/** Defines the commands that only need what ships with the gateway. */
function defineReference(program: GatewayCommand): void {
  program
    .command('openapi')
    .description('prints the interface as an OpenAPI document')
    .example('gateway openapi > portico.openapi.json')
    .answers(async () => (await import('./interface-commands.ts')).printOpenApi);
  program
    .command('postman')
    .description('prints the interface as a Postman collection')
    .option('--base-url <URL>', 'address that the collection begins with', `http://127.0.0.1:${defaultPort}`)
    .example('gateway postman --base-url https://api.example.com > portico.postman.json')
    .answers(async () => (await import('./interface-commands.ts')).printPostman);
}
