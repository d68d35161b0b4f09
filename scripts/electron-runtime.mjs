// Finds Electron's program. The npm package `electron` only downloads it, so it may be missing.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { environment, root, say } from './bootstrap.mjs';

const packageFolder = join(root, 'node_modules', 'electron');
const names = { win32: 'electron.exe', darwin: 'Electron.app/Contents/MacOS/Electron' };
const program = names[process.platform] ?? 'electron';

/**
 * Returns the path of Electron's program, or `{ missing }` with the reason in a few words.
 * Downloads it once if allowed.
 */
export function electronRuntime(node, { download }) {
  const folder = process.env.ELECTRON_OVERRIDE_DIST_PATH;
  if (folder) {
    const path = join(folder, program);
    return existsSync(path) ? { path } : { missing: `ELECTRON_OVERRIDE_DIST_PATH holds no Electron (${path})` };
  }
  const path = join(packageFolder, 'dist', program);
  if (!isComplete(path) && download) {
    say('downloading Electron (once)');
    spawnSync(node, [join(packageFolder, 'install.js')], {
      stdio: 'ignore',
      timeout: 600_000,
      env: environment(node),
    });
  }
  return isComplete(path) ? { path } : { missing: 'Electron is not installed and could not be downloaded' };
}

/** Returns why a window can't be opened here, or null if it can. */
export function noDisplay() {
  if (process.platform !== 'linux' || process.env.DISPLAY || process.env.WAYLAND_DISPLAY) return null;
  return 'there is no display';
}

/** Chromium refuses to run its sandbox as root. */
export const rootFlags = () => (process.platform === 'linux' && process.getuid?.() === 0 ? ['--no-sandbox'] : []);

function isComplete(path) {
  const version = join(packageFolder, 'dist', 'version');
  if (!existsSync(path) || !existsSync(version)) return false;
  const wanted = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')).version;
  return readFileSync(version, 'utf8').trim().replace(/^v/, '') === wanted;
}
