// Starts npm and the programs of packages in the same way on every system: as JavaScript, with a given Node.
// On Windows their commands are shell scripts, which take a space in a path as the end of a word. Use nothing
// but Node 20 built-ins here.
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = join(dirname(dirname(fileURLToPath(import.meta.url))), 'node_modules');
/** Commands whose name differs from their package's. */
const getPackage = { biome: '@biomejs/biome', playwright: '@playwright/test', tsc: 'typescript' };

/**
 * Returns the script behind a command of the project's packages.
 * @param {string} command
 */
export function getProgram(command) {
  const folder = join(packages, getPackage[command] ?? command);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, typeof bin === 'string' ? bin : bin[command]);
}

/**
 * Returns the program that runs npm, and its first arguments: the npm that runs us, otherwise the one on the PATH.
 * @param {string} node
 * @param {Record<string, string | undefined>} env
 * @returns {[string, string[]]}
 */
export function npmBy(node, env = process.env, platform = process.platform) {
  const running = env.npm_execpath;
  if (running?.endsWith('.js')) return [node, [running]];
  // Only Windows needs this: on other systems the command is a program that can be started directly.
  const script = platform === 'win32' ? scriptBesideCommand(env) : undefined;
  return script ? [node, [script]] : ['npm', []];
}

/** Node's installer and npm's own update both put npm's files next to its command. */
function scriptBesideCommand(env) {
  const path = Object.keys(env).find((name) => name.toUpperCase() === 'PATH');
  return (env[path] ?? '')
    .split(delimiter)
    .filter((folder) => existsSync(join(folder, 'npm.cmd')))
    .map((folder) => join(folder, 'node_modules', 'npm', 'bin', 'npm-cli.js'))
    .find((file) => existsSync(file));
}
