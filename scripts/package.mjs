// `npm run package`: the installable app, by electron-builder. Its own options go after `--`: `-- --linux dir`.
// `npm run package -- --client`: the gateway's client for other programs (client-package.mjs).
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment, prepare, root, run, say } from './bootstrap.mjs';
import { foreground } from './child.mjs';
import { packageClient } from './client-package.mjs';

await run(async ([first, ...rest]) => {
  if (first === '--client') return packageClient(rest);
  const words = first === undefined ? [] : [first, ...rest];
  const node = prepare();
  const local = localElectron();
  try {
    const builder = join(root, 'node_modules', 'electron-builder', 'out', 'cli', 'cli.js');
    return await foreground(node, [builder, '--publish', 'never', ...words, ...local.options], {
      cwd: root,
      env: environment(node),
    });
  } finally {
    local.remove();
  }
});

/** Packages the Electron of ELECTRON_OVERRIDE_DIST_PATH where that is set, instead of downloading one. */
function localElectron() {
  const folder = process.env.ELECTRON_OVERRIDE_DIST_PATH;
  if (!folder || !existsSync(join(folder, 'version'))) return { options: [], remove() {} };
  say(`packaging the Electron of ${folder}, because ELECTRON_OVERRIDE_DIST_PATH is set.`);
  const copy = mkdtempSync(join(tmpdir(), 'portico-electron-'));
  cpSync(folder, copy, { recursive: true });
  // A runtime that is started from source carries a default app; a package brings its own.
  rmSync(join(copy, 'resources', 'app'), { recursive: true, force: true });
  const version = readFileSync(join(folder, 'version'), 'utf8').trim().replace(/^v/, '');
  return {
    options: [`-c.electronDist=${copy}`, `-c.electronVersion=${version}`],
    remove: () => rmSync(copy, { recursive: true, force: true }),
  };
}
