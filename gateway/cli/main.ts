import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { AppError } from '#shared/errors.ts';
import { dialectOf } from '../db/open.ts';
import { openOperator } from '../operator/open-operator.ts';
import type { Administrator } from '../operator/operator.ts';
import type { Command, ReferenceCommand, Words } from './command.ts';
import { commands } from './commands.ts';
import { defaultDatabase, defaultPort, helpFor } from './help.ts';
import { nearest } from './nearest.ts';
import { referenceCommands } from './reference-commands.ts';
import { serve } from './serve.ts';
import { terminalJson, terminalLine, terminalLines } from './terminal-text.ts';

type Values = Readonly<Record<string, string | boolean | undefined>>;

/** Said wrongly. */
class UsageError extends Error {}

/** Exit codes: the command failed; it cannot be done as it was said. */
const failed = 1;
const refused = 2;

const text = { type: 'string' } as const;
const options = {
  db: text,
  port: text,
  host: text,
  config: text,
  name: text,
  plan: text,
  email: text,
  description: text,
  id: text,
  label: text,
  sub: text,
  scope: text,
  ttl: text,
  limit: text,
  expires: text,
  provider: text,
  input: text,
  output: text,
  'cache-read': text,
  'cache-write': text,
  'cache-write-1h': text,
  reasoning: text,
  'input-audio': text,
  request: text,
  from: text,
  url: text,
  'base-url': text,
  'at-once': { type: 'boolean' },
  json: { type: 'boolean' },
  'log-requests': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const serveOptions = ['port', 'host', 'config', 'log-requests'];
const everywhere = ['db', 'json', 'help'];

async function main(args: string[]): Promise<void> {
  const { values, positionals } = parse(args);
  if (values.help) return print(helpFor(positionals));
  if (positionals[0] === 'help') return print(helpFor(positionals.slice(1)));
  if (positionals.length === 0) throw new UsageError('Say what to do, for example "gateway serve".');
  const database = values.db ?? process.env.PORTICO_DB ?? defaultDatabase;
  if (positionals[0] !== 'serve') return runCommand(positionals, values, database);
  refuseOthers(values, serveOptions);
  if (positionals.length > 1) throw new UsageError(`"serve" takes no argument "${positionals[1]}".`);
  await serve({
    database,
    port: readPort(values.port),
    host: values.host ?? '127.0.0.1',
    configPath: values.config,
    logRequests: values['log-requests'] ?? false,
    env: process.env,
  });
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(unknownOption(error as NodeJS.ErrnoException) ?? (error as Error).message);
  }
}

function unknownOption({ code, message }: NodeJS.ErrnoException): string | null {
  const [, typed] = code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' ? (/'(-[^']+)'/.exec(message) ?? []) : [];
  if (typed === undefined) return null;
  const meant = nearest(
    typed,
    Object.keys(options).map((name) => `--${name}`),
  );
  return `There is no option ${typed}.${meant ? ` Did you mean ${meant}?` : ''}`;
}

async function runCommand(words: readonly string[], values: Values, database: string): Promise<void> {
  const { name, command } = findCommand(words);
  const positionals = words.slice(name.split(' ').length);
  checkCall(name, command, positionals, values);
  const typed: Words = {
    positionals,
    option: (key) => (typeof values[key] === 'string' ? values[key] : undefined),
    flag: (key) => values[key] === true,
    env: process.env,
  };
  const output =
    'createsDatabase' in command
      ? await onBooks(database, command.createsDatabase, (operator) => command.run({ ...typed, operator }))
      : await command.run({ ...typed, fromBooks: (read) => onBooksIfAny(database, read) });
  const lines = values.json ? [terminalJson(output.json)] : output.lines.map(terminalLine);
  print(lines.map((line) => `${line}\n`).join(''));
  if (output.failed) process.exitCode = 1;
}

function findCommand(words: readonly string[]): { name: string; command: Command | ReferenceCommand } {
  for (const name of [words.slice(0, 2).join(' '), words[0] ?? '']) {
    if (Object.hasOwn(commands, name) && commands[name]) return { name, command: commands[name] };
    const reference = Object.hasOwn(referenceCommands, name) ? referenceCommands[name] : undefined;
    if (reference) return { name, command: reference };
  }
  const typed = words.slice(0, 2).join(' ');
  const meant = nearest(typed, ['serve', ...Object.keys(commands), ...Object.keys(referenceCommands)]);
  throw new UsageError(`There is no command "${typed}".${meant ? ` Did you mean "${meant}"?` : ''}`);
}

async function onBooks<T>(
  database: string,
  mayCreate: boolean,
  use: (operator: Administrator) => Promise<T>,
): Promise<T> {
  const { operator, close } = await openOperator({ database, env: process.env, now: Date.now, mayCreate });
  try {
    return await use(operator);
  } finally {
    await close();
  }
}

const onBooksIfAny = async <T>(database: string, read: (operator: Administrator) => Promise<T>): Promise<T | null> =>
  dialectOf(database) === 'sqlite' && !existsSync(database) ? null : onBooks(database, false, read);

function checkCall(
  name: string,
  command: Command | ReferenceCommand,
  positionals: readonly string[],
  values: Values,
): void {
  refuseOthers(values, command.options);
  if (positionals.length !== command.arguments.length) {
    throw new UsageError(`Usage: gateway ${[name, ...command.arguments].join(' ')}.`);
  }
  const missing = command.required.find((key) => values[key] === undefined);
  if (missing) throw new UsageError(`"${name}" needs --${missing}.`);
}

function refuseOthers(values: Values, allowed: readonly string[]): void {
  const other = Object.keys(values).find((key) => !allowed.includes(key) && !everywhere.includes(key));
  if (other) throw new UsageError(`--${other} does not belong to this command.`);
}

function readPort(given: string | undefined): number {
  if (given === undefined) return defaultPort;
  const port = /^\d{1,5}$/.test(given) ? Number(given) : Number.NaN;
  if (!(port <= 65_535)) throw new UsageError(`--port must be a number from 0 to 65535, not "${given}".`);
  return port;
}

const print = (output: string) => void process.stdout.write(output);

// Books, lock and key secret are for their owner only.
process.umask(0o077);

// A process report says much that helps, and would say the environment: provider keys, key secret, database password.
if (process.report) process.report.excludeEnv = true;

// Whoever reads the output may stop reading (`| head -1`); a server must outlive the reader of its log.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const usage = error instanceof UsageError;
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${terminalLines(message)}${usage ? ' See --help.' : ''}\n`);
  if (!usage && !(error instanceof AppError) && error instanceof Error)
    process.stderr.write(`${terminalLines(error.stack ?? '')}\n`);
  process.exitCode = usage || (error instanceof AppError && error.code === 'database_in_use') ? refused : failed;
});
