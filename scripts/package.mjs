// `npm run package` makes the installable app with electron-builder, whose options go after `--`: `-- --linux dir`.
// `npm run package -- --client` packs the gateway's client for other programs (client-package.mjs).
// `npm run package -- --sign-feed FILE…` signs the feeds of updates (sign-feed.mjs).
// `npm run package -- --check [FOLDER]` checks the unpacked apps (check-package.mjs).
// `npm run package -- --notes VERSION` prints the text of a release (release-notes.ts).
// `npm run package -- --sbom FILE` writes the bill of materials of a release (bill-of-materials.ts).
// `npm run package -- --audit [ADVISORY]…` lists known vulnerabilities of what ships (audit.ts).
import { execFileSync } from 'node:child_process';
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
  const about = { '--sbom': 'bill-of-materials.ts', '--audit': 'audit.ts', '--notes': 'release-notes.ts' }[first];
  if (about) return foreground(node, [join(root, 'scripts', about), ...rest], { env: environment(node) });
  if (first === '--check') return (await import('./check-package.mjs')).checkPackages(rest);
  const local = localElectron();
  const signing = signingOptions(words);
  const feed = updateFeed(signing.isAdHoc);
  try {
    const builder = join(root, 'node_modules', 'electron-builder', 'out', 'cli', 'cli.js');
    return await foreground(
      node,
      [builder, '--publish', 'never', ...feed, ...signing.options, ...runtimeOptions(), ...words, ...local.options],
      {
        cwd: root,
        env: environment(node),
      },
    );
  } finally {
    local.remove();
  }
});

/**
 * Configures where the packaged app looks for newer versions and the key that signs them, both from the environment.
 * The file lies in the app's archive, whose integrity the program checks. Without it the app doesn't look for updates.
 * An ad hoc signed app gets none, because macOS doesn't let it replace itself.
 */
function updateFeed(isAdHoc) {
  const { PORTICO_UPDATE_URL: url, PORTICO_UPDATE_KEY: key, PORTICO_UPDATE_PUBLISHER: publisher } = process.env;
  const file = join(root, 'dist', 'update.json');
  rmSync(file, { force: true });
  if (!url) return [];
  if (isAdHoc) {
    say('the app will not look for updates, because macOS replaces no program that is signed ad hoc.');
    return [];
  }
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
  // With these options electron-builder writes the feed's own files (latest.yml) next to the packages.
  return ['-c.publish.provider=generic', `-c.publish.url=${url}`];
}

/**
 * Configures the service that keeps the signing key for Windows, because new keys may not be kept in files. Its account
 * is in PORTICO_AZURE_SIGNING, the credentials for it in AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET.
 */
function azureOptions() {
  const { PORTICO_AZURE_SIGNING: account, PORTICO_UPDATE_PUBLISHER: publisher } = process.env;
  if (!account || process.platform !== 'win32') return [];
  const [endpoint, accountName, profile, ...more] = account.split('|');
  if (!profile || more.length > 0)
    throw new UserError('PORTICO_AZURE_SIGNING has three parts: ENDPOINT|ACCOUNT|CERTIFICATE PROFILE.', 2);
  if (!publisher)
    throw new UserError("PORTICO_UPDATE_PUBLISHER is not set: it is the name in the certificate's subject.", 2);
  const azure = '-c.win.azureSignOptions';
  return [
    ...[`${azure}.endpoint=${endpoint}`, `${azure}.codeSigningAccountName=${accountName}`],
    ...[`${azure}.certificateProfileName=${profile}`, `${azure}.publisherName=${publisher}`],
  ];
}

/**
 * Adds the C runtime that a native module needs and a new Windows lacks. Microsoft allows it to
 * be placed next to a program.
 */
function runtimeOptions() {
  if (process.platform !== 'win32') return [];
  const programs = process.env['ProgramFiles(x86)'] ?? '';
  const finder = join(programs, 'Microsoft Visual Studio', 'Installer', 'vswhere.exe');
  const asked = [
    '-latest',
    '-products',
    '*',
    '-find',
    'VC\\Redist\\MSVC\\**\\x64\\Microsoft.VC*.CRT\\vcruntime140.dll',
  ];
  const found = existsSync(finder)
    ? execFileSync(finder, asked, { encoding: 'utf8' }).trim().split(/\r?\n/).at(-1)
    : '';
  if (found) return [`-c.win.extraFiles.from=${found}`, '-c.win.extraFiles.to=vcruntime140.dll'];
  if (process.env.CI) throw new UserError('vcruntime140.dll is not here: it comes with Visual Studio.');
  say(
    'the package lacks vcruntime140.dll, because Visual Studio is not installed: a new Windows may not start the app.',
  );
  return [];
}

/**
 * Apple's processors run no program without a signature, and changing the fuses breaks the signature that
 * Electron comes with. Without a certificate, a package for macOS is signed ad hoc, which needs an entitlement
 * that a real signature doesn't.
 */
function signingOptions(words) {
  const isForMac = words.some((word) => /^(--mac|-m|--macos|-o)$/.test(word)) || process.platform === 'darwin';
  if (!isForMac || process.env.CSC_LINK || process.env.CSC_NAME) return { isAdHoc: false, options: azureOptions() };
  say('signing ad hoc, because CSC_LINK is not set: macOS asks before the first start.');
  const adHoc = 'build/entitlements.ad-hoc.plist';
  const entitlements = [`-c.mac.entitlements=${adHoc}`, `-c.mac.entitlementsInherit=${adHoc}`];
  return { isAdHoc: true, options: ['-c.mac.identity=-', ...entitlements] };
}

/** Packages the Electron of ELECTRON_OVERRIDE_DIST_PATH, if that is set, instead of downloading one. */
function localElectron() {
  const folder = process.env.ELECTRON_OVERRIDE_DIST_PATH;
  if (!folder || !existsSync(join(folder, 'version'))) return { options: [], remove() {} };
  say(`packaging the Electron of ${folder}, because ELECTRON_OVERRIDE_DIST_PATH is set.`);
  const copy = mkdtempSync(join(tmpdir(), 'portico-electron-'));
  cpSync(folder, copy, { recursive: true });
  // A runtime that was started from source contains a default app, but a package brings its own.
  rmSync(join(copy, 'resources', 'app'), { recursive: true, force: true });
  const version = readFileSync(join(folder, 'version'), 'utf8').trim().replace(/^v/, '');
  return {
    options: [`-c.electronDist=${copy}`, `-c.electronVersion=${version}`],
    remove: () => rmSync(copy, { recursive: true, force: true }),
  };
}
