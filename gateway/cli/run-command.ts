import { CommanderError } from 'commander';
import { AppError } from '#shared/errors.ts';
import { UsageError } from './gateway-command.ts';
import { gatewayProgram } from './program.ts';
import { terminalLines } from './terminal-text.ts';

/** Exit codes: the command failed; it cannot be done as it was said. */
const failed = 1;
const refused = 2;

/** Does what was typed. What came of it is this process's output and its exit code. */
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
