// What `npm start`, `npm test` and `npm run gateway` do first on any machine with Node >= 20 and npm: install what is
// missing, find Node 24, build what is stale. Nothing but Node 20 built-ins may be used here.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { oneAtATime } from './one-at-a-time.mjs';
import { npmBy } from './own-programs.mjs';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const windows = process.platform === 'win32';
const at = (...parts) => join(root, ...parts);

/** A failure that the user can act on: printed as one sentence, without a stack. */
export class UserError extends Error {
  constructor(message, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Runs a bootstrapped command and turns its outcome into the process's. */
export async function run(main) {
  try {
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    process.stderr.write(`portico: ${error.message}\n`);
    process.exitCode = error.exitCode;
  }
}

export const say = (text) => process.stderr.write(`portico: ${text}\n`);

/** Everything needed to run from source: dependencies, Node 24, an up-to-date build. Answers Node 24's path. */
export function prepare() {
  requireNode20();
  if (isInstalled() && isBuilt()) return node24();
  // Two starts of a fresh clone would install and build into each other's folders.
  const file = at('.cache', 'preparing');
  const onWait = (pid) => say(`waiting for process ${pid}, which prepares this folder (${file})`);
  return oneAtATime(file, installAndBuild, onWait);
}

/** The same without a build, for what works from the sources. */
export function prepareSources() {
  requireNode20();
  install();
  return node24();
}

function installAndBuild() {
  install();
  const node = node24();
  build(node);
  return node;
}

/** The environment in which Node 24 and the project's own commands come first on the PATH. */
export function environment(node, more = {}) {
  const separator = windows ? ';' : ':';
  const path = [dirname(node), at('node_modules', '.bin'), process.env.PATH ?? ''].join(separator);
  return { ...process.env, PATH: path, ...more };
}

function requireNode20() {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < 20)
    throw new UserError(`Portico needs Node 20 or newer, this is ${process.version}: https://nodejs.org`, 2);
}

const installed = at('node_modules', '.portico-installed');
const wantedPackages = () =>
  `${process.platform}-${process.arch} ${getHash([at('package.json'), at('package-lock.json')])}`;
const isInstalled = () => read(installed) === wantedPackages();

function install() {
  if (isInstalled()) return;
  say('installing dependencies (once)');
  // No install script runs but that of the `node` runtime, below, whatever the npm version (see allowScripts).
  const outcome = npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
  if (outcome !== 0) {
    throw new UserError('installing dependencies failed (see above). Is the npm registry reachable?');
  }
  writeFileSync(installed, wantedPackages());
}

/** Runs npm in a folder, and returns its exit code. */
export function npm(parameters, folder = root) {
  const [program, first] = npmBy(anyNode());
  // npm's own messages go to stderr: the last line of stdout belongs to the command that was asked for.
  return spawnSync(program, [...first, ...parameters], { cwd: folder, stdio: ['ignore', 2, 2] }).status ?? 1;
}

/** This Node; the PATH's where this one stood among the packages, as in a script of npm, and was replaced with them. */
const anyNode = () => (existsSync(process.execPath) ? process.execPath : 'node');

/** The machine's Node where it is 24 or newer, else the one that the npm package `node` brings. */
function node24() {
  const running = anyNode();
  if (running === process.execPath && Number(process.versions.node.split('.')[0]) >= 24) return running;
  const binary = at('node_modules', 'node', 'bin', windows ? 'node.exe' : 'node');
  if (!works(binary)) {
    say('fetching Node 24 (once)');
    spawnSync(running, ['installArchSpecificPackage.js'], {
      cwd: at('node_modules', 'node'),
      stdio: ['ignore', 2, 2],
    });
    linkOnPath(binary);
  }
  if (!works(binary)) {
    throw new UserError(
      'Node 24 could not be fetched from the npm registry. Install it from https://nodejs.org and try again.',
    );
  }
  return binary;
}

/** Without its install script npm could not link it: npm scripts shall find this Node first. */
function linkOnPath(binary) {
  const link = at('node_modules', '.bin', 'node');
  if (windows || !existsSync(binary) || existsSync(link)) return;
  rmSync(link, { force: true });
  symlinkSync(relative(dirname(link), binary), link);
}

const works = (binary) => existsSync(binary) && spawnSync(binary, ['--version']).status === 0;

const built = at('dist', '.built');
const wantedBuild = () =>
  getHash([
    ...['shared', 'gateway', 'electron', 'renderer'].flatMap((area) => sources(at(area))),
    ...['vite.config.ts', 'package.json', 'package-lock.json'].map((file) => at(file)),
  ]);
const isBuilt = () => read(built) === wantedBuild();

function build(node) {
  // What is built is what stood there at the beginning.
  const wanted = wantedBuild();
  if (read(built) === wanted) return;
  say('building');
  rmSync(built, { force: true });
  const vite = at('node_modules', 'vite', 'bin', 'vite.js');
  const outcome = spawnSync(node, [vite, 'build', '--app', '--logLevel', 'warn', '--config', at('vite.config.ts')], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    env: environment(node),
  });
  if (outcome.status !== 0) throw new UserError('the build failed (see above).');
  mkdirSync(dirname(built), { recursive: true });
  writeFileSync(built, wanted);
}

function sources(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return /\.test\.tsx?$/.test(entry.name) ? [] : [path];
  });
}

function getHash(files) {
  const hash = createHash('sha256');
  for (const file of files.filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile()).sort()) {
    hash.update(relative(root, file)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

function read(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}
