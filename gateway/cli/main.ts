import { CommanderError } from 'commander';
import { AppError } from '#shared/errors.ts';
import { UsageError } from './gateway-command.ts';
import { gatewayProgram } from './program.ts';
import { terminalLines } from './terminal-text.ts';

/** Exit codes: the command failed; it cannot be done as it was said. */
const failed = 1;
const refused = 2;

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

async function main(words: readonly string[]): Promise<void> {
  const typed = words[0] === 'help' ? [...words.slice(1), '--help'] : words;
  await gatewayProgram().parseAsync(typed, { from: 'user' });
}

main(process.argv.slice(2)).catch((error: unknown) => {
  if (error instanceof CommanderError && error.exitCode === 0) return;
  const usage = error instanceof UsageError;
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${terminalLines(message)}${usage ? ' See --help.' : ''}\n`);
  if (!usage && !(error instanceof AppError) && error instanceof Error)
    process.stderr.write(`${terminalLines(error.stack ?? '')}\n`);
  process.exitCode = usage || (error instanceof AppError && error.code === 'database_in_use') ? refused : failed;
});
