// The first step of `npm start`, `npm test` and `npm run gateway` on any machine with Node >= 20 and npm: it installs
// what is missing, finds Node 24 and builds what is outdated. Use nothing but Node 20 built-ins here.
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
const inRoot = (...parts) => join(root, ...parts);

/** A failure that the user can do something about. It's printed as one sentence, without a stack. */
export class UserError extends Error {
  constructor(message, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Runs a bootstrapped command and sets the process's exit code from its result. */
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

/** Prepares everything for running from source: dependencies, Node 24, an up-to-date build. Returns Node 24's path. */
export function prepare() {
  requireNode20();
  if (isInstalled() && isBuilt()) return node24();
  // Without this lock, two starts of a fresh clone would install and build in the same folders at once.
  const file = inRoot('.cache', 'preparing');
  const onWait = (pid) => say(`waiting for process ${pid}, which prepares this folder (${file})`);
  return oneAtATime(file, installAndBuild, onWait);
}

/** Does the same without a build, for commands that run from the sources. */
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

/** Returns the environment in which Node 24 and the project's own commands come first on the PATH. */
export function environment(node, more = {}) {
  const separator = windows ? ';' : ':';
  const path = [dirname(node), inRoot('node_modules', '.bin'), process.env.PATH ?? ''].join(separator);
  return { ...process.env, PATH: path, ...more };
}

function requireNode20() {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < 20)
    throw new UserError(`Portico needs Node 20 or newer, this is ${process.version}: https://nodejs.org`, 2);
}

const installed = inRoot('node_modules', '.portico-installed');
const wantedPackages = () =>
  `${process.platform}-${process.arch} ${getHash([inRoot('package.json'), inRoot('package-lock.json')])}`;
const isInstalled = () => read(installed) === wantedPackages();

function install() {
  if (isInstalled()) return;
  say('installing dependencies (once)');
  // No install script runs except that of the `node` runtime, below, with any version of npm (see allowScripts).
  const outcome = npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
  if (outcome !== 0) {
    throw new UserError('installing dependencies failed (see above). Is the npm registry reachable?');
  }
  writeFileSync(installed, wantedPackages());
}

/** Runs npm in a folder and returns its exit code. */
export function npm(parameters, folder = root) {
  const [program, first] = npmBy(anyNode());
  // npm's own messages go to stderr: the last line of stdout belongs to the requested command.
  return spawnSync(program, [...first, ...parameters], { cwd: folder, stdio: ['ignore', 2, 2] }).status ?? 1;
}

/**
 * Returns this Node, or the PATH's if this one was among the packages, as in an npm script, and was
 * replaced together with them.
 */
const anyNode = () => (existsSync(process.execPath) ? process.execPath : 'node');

/** Returns the machine's Node if it's version 24 or newer, otherwise the one that the npm package `node` contains. */
function node24() {
  const running = anyNode();
  if (running === process.execPath && Number(process.versions.node.split('.')[0]) >= 24) return running;
  const binary = inRoot('node_modules', 'node', 'bin', windows ? 'node.exe' : 'node');
  if (!works(binary)) {
    say('fetching Node 24 (once)');
    spawnSync(running, ['installArchSpecificPackage.js'], {
      cwd: inRoot('node_modules', 'node'),
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

/** npm didn't link the binary because its install script hadn't run. npm scripts must find this Node first. */
function linkOnPath(binary) {
  const link = inRoot('node_modules', '.bin', 'node');
  if (windows || !existsSync(binary) || existsSync(link)) return;
  rmSync(link, { force: true });
  symlinkSync(relative(dirname(link), binary), link);
}

const works = (binary) => existsSync(binary) && spawnSync(binary, ['--version']).status === 0;

const built = inRoot('dist', '.built');
const wantedBuild = () =>
  getHash([
    ...['shared', 'gateway', 'electron', 'renderer'].flatMap((area) => sources(inRoot(area))),
    ...['vite.config.ts', 'package.json', 'package-lock.json'].map((file) => inRoot(file)),
  ]);
const isBuilt = () => read(built) === wantedBuild();

function build(node) {
  // The fingerprint is taken before the build, because sources that change during it aren't built.
  const wanted = wantedBuild();
  if (read(built) === wanted) return;
  say('building');
  rmSync(built, { force: true });
  const vite = inRoot('node_modules', 'vite', 'bin', 'vite.js');
  const outcome = spawnSync(
    node,
    [vite, 'build', '--app', '--logLevel', 'warn', '--config', inRoot('vite.config.ts')],
    {
      cwd: root,
      stdio: ['ignore', 2, 2],
      env: environment(node),
    },
  );
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
