import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { npmBy } from './own-programs.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Returns what npm prints as JSON, whatever its exit code: `npm audit` exits with 1 if it found something. If the
 * output isn't JSON, throws an error with npm's message.
 */
export async function npmJson(words: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<unknown> {
  const [program, first] = npmBy(process.execPath, env);
  const child = spawn(program, [...first, ...words, '--package-lock-only'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [printed, complaint] = await Promise.all([text(child.stdout), text(child.stderr)]);
  try {
    return JSON.parse(printed);
  } catch {
    throw new Error(`npm ${words[0]} printed no JSON: ${complaint.trim() || printed.trim() || 'nothing at all'}`);
  }
}
