// How the programs of packages, and npm, are started on every system: as JavaScript, by a Node that is named. On Windows their
// commands are scripts of a shell, which takes a blank in a path for the end of a word. Nothing but Node 20 built-ins here.
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = join(dirname(dirname(fileURLToPath(import.meta.url))), 'node_modules');
/** Commands that have another name than their package. */
const getPackage = { biome: '@biomejs/biome', playwright: '@playwright/test', tsc: 'typescript' };

/**
 * The script behind a command of the project's packages.
 * @param {string} command
 */
export function getProgram(command) {
  const folder = join(packages, getPackage[command] ?? command);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, typeof bin === 'string' ? bin : bin[command]);
}

/**
 * The program that is npm, with its first words: the npm that runs us, else that of the PATH.
 * @param {string} node
 * @param {Record<string, string | undefined>} env
 * @returns {[string, string[]]}
 */
export function npmBy(node, env = process.env, platform = process.platform) {
  const running = env.npm_execpath;
  if (running?.endsWith('.js')) return [node, [running]];
  // Only there: elsewhere the command is a program that can be started as it is.
  const script = platform === 'win32' ? scriptBesideCommand(env) : undefined;
  return script ? [node, [script]] : ['npm', []];
}

/** Both Node's installer and npm's own update put npm's files beside its command. */
function scriptBesideCommand(env) {
  const path = Object.keys(env).find((name) => name.toUpperCase() === 'PATH');
  return (env[path] ?? '')
    .split(delimiter)
    .filter((folder) => existsSync(join(folder, 'npm.cmd')))
    .map((folder) => join(folder, 'node_modules', 'npm', 'bin', 'npm-cli.js'))
    .find((file) => existsSync(file));
}
