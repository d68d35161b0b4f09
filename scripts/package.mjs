// `npm run package`: the installable app, by electron-builder. Its own options go after `--`: `-- --linux dir`.
// `npm run package -- --client`: the gateway's client for other programs (client-package.mjs).
// `npm run package -- --sign-feed FILE…`: signatures of the feeds of updates (sign-feed.mjs).
// `npm run package -- --sbom FILE`: the bill of materials of a release (bill-of-materials.ts).
// `npm run package -- --audit [ADVISORY]…`: known vulnerabilities of what ships (audit.ts).
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment, prepare, root, run, say, UserError } from './bootstrap.mjs';
import { foreground } from './child.mjs';
import { packageClient } from './client-package.mjs';
import { signFeeds, updateKey } from './sign-feed.mjs';

await run(async ([first, ...rest]) => {
  if (first === '--client') return packageClient(rest);
  if (first === '--sign-feed') return signFeeds(rest);
  const words = first === undefined ? [] : [first, ...rest];
  const node = prepare();
  const about = { '--sbom': 'bill-of-materials.ts', '--audit': 'audit.ts' }[first];
  if (about) return foreground(node, [join(root, 'scripts', about), ...rest], { env: environment(node) });
  const local = localElectron();
  const feed = updateFeed();
  const signing = signingOptions(words);
  try {
    const builder = join(root, 'node_modules', 'electron-builder', 'out', 'cli', 'cli.js');
    return await foreground(node, [builder, '--publish', 'never', ...feed, ...signing, ...words, ...local.options], {
      cwd: root,
      env: environment(node),
    });
  } finally {
    local.remove();
  }
});

/**
 * Where the packaged app looks for newer versions, and the key that signs what it finds: the environment says it. It lies in the app's
 * archive, whose integrity the program checks. Without it the app does not look.
 */
function updateFeed() {
  const { PORTICO_UPDATE_URL: url, PORTICO_UPDATE_KEY: key, PORTICO_UPDATE_PUBLISHER: publisher } = process.env;
  const file = join(root, 'dist', 'update.json');
  rmSync(file, { force: true });
  if (!url) return [];
  if (!/^https:\/\/|^http:\/\/127\.0\.0\.1[:/]/.test(url))
    throw new UserError(`PORTICO_UPDATE_URL is ${url}: updates come by https only.`, 2);
  if (!key)
    throw new UserError(
      'PORTICO_UPDATE_KEY is not set: an app that looks for updates needs the public key of its feed.',
      2,
    );
  const publicKey = updateKey(key);
  const publisherName = publisher ? { publisherName: [publisher] } : {};
  const provider = { provider: 'generic', url, updaterCacheDirName: 'portico-updater' };
  writeFileSync(file, JSON.stringify({ ...provider, publicKey, ...publisherName }));
  // So that the feed's own files (latest.yml) are written beside the packages.
  return ['-c.publish.provider=generic', `-c.publish.url=${url}`];
}

/**
 * Apple's processors run no program without a signature, and the fuses change the one that Electron comes with. Without a certificate a package
 * for macOS is signed ad hoc, which needs an entitlement that the signed one does without.
 */
function signingOptions(words) {
  const isForMac = words.some((word) => /^(--mac|-m|--macos|-o)$/.test(word)) || process.platform === 'darwin';
  if (!isForMac || process.env.CSC_LINK || process.env.CSC_NAME) return [];
  say('signing ad hoc, because CSC_LINK is not set: macOS asks before the first start.');
  const adHoc = 'build/entitlements.ad-hoc.plist';
  return ['-c.mac.identity=-', `-c.mac.entitlements=${adHoc}`, `-c.mac.entitlementsInherit=${adHoc}`];
}

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
