// `npm run package -- --check [FOLDER]` checks the unpacked apps in `release/` (or FOLDER). Each must contain
// the native modules for every processor that it runs on, the fuses of electron-builder.yml and, on systems
// that have them, a valid signature.
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fuses from '@electron/fuses';
import { parse } from 'yaml';
import { root, say, UserError } from './bootstrap.mjs';

const { FuseV1Options, getCurrentFuseWire } = fuses;
/** The values of a fuse in a program. */
const states = { on: '1'.charCodeAt(0), off: '0'.charCodeAt(0) };

/** electron-builder's names for the folders of unpacked apps. */
const kinds = [
  { name: /^linux(-(?<arch>\w+))?-unpacked$/, platform: 'linux', program: 'portico' },
  { name: /^win(-(?<arch>\w+))?-unpacked$/, platform: 'win32', program: 'Portico.exe' },
  { name: /^mac(-(?<arch>\w+))?$/, platform: 'darwin', program: 'Portico.app' },
];

export async function checkPackages([folder = join(root, 'release')]) {
  const apps = existsSync(folder) ? unpackedIn(folder) : [];
  if (apps.length === 0)
    throw new UserError(`there is no unpacked app in ${folder}. Make one first: npm run package`, 2);
  const faults = [];
  for (const app of apps) {
    const found = [...missingAddons(app), ...(await wrongFuses(app)), ...wrongSignature(app)];
    say(`${app.name}: ${found.length === 0 ? 'addons, fuses and signature are right' : found.join('; ')}`);
    faults.push(...found);
  }
  return faults.length === 0 ? 0 : 1;
}

const unpackedIn = (folder) =>
  readdirSync(folder).flatMap((name) =>
    kinds.flatMap((kind) => {
      const match = kind.name.exec(name);
      return match
        ? [{ ...kind, name, arch: match.groups.arch ?? 'x64', program: join(folder, name, kind.program) }]
        : [];
    }),
  );

function missingAddons({ platform, arch, program }) {
  const resources = platform === 'darwin' ? join(program, 'Contents', 'Resources') : join(program, '..', 'resources');
  const addons = globSync('app.asar.unpacked/**/*.node', { cwd: resources }).map((path) => path.replaceAll('\\', '/'));
  const processors = arch === 'universal' ? ['x64', 'arm64'] : [arch];
  return processors
    .flatMap((processor) => [`better-sqlite3/prebuilds/${platform}-${processor}.`, `keyring-${platform}-${processor}`])
    .filter((part) => !addons.some((path) => path.includes(part)))
    .map((part) => `the addon ${part} is missing`);
}

async function wrongFuses({ program }) {
  const { electronFuses } = parse(readFileSync(join(root, 'electron-builder.yml'), 'utf8'));
  const wire = await getCurrentFuseWire(program);
  return Object.entries(electronFuses).flatMap(([name, wanted]) => {
    const state = wire[FuseV1Options[name[0].toUpperCase() + name.slice(1)]];
    return state === (wanted ? states.on : states.off) ? [] : [`the fuse ${name} is not ${wanted}`];
  });
}

/** Linux has no signatures. Windows runs a program without one, but macOS on Apple's processors doesn't. */
function wrongSignature({ platform, program }) {
  if (platform === 'darwin' && process.platform === 'darwin')
    return succeeds('codesign', ['--verify', '--deep', '--strict', program]) ? [] : ['the signature is not valid'];
  const isSigned = process.env.CSC_LINK || process.env.PORTICO_AZURE_SIGNING;
  if (platform !== 'win32' || process.platform !== 'win32' || !isSigned) return [];
  const status = `if ((Get-AuthenticodeSignature '${program.replaceAll("'", "''")}').Status -ne 'Valid') { exit 1 }`;
  return succeeds('powershell', ['-NoProfile', '-Command', status]) ? [] : ['the signature is not valid'];
}

function succeeds(program, words) {
  try {
    execFileSync(program, words, { stdio: 'inherit' });
    return true;
  } catch (error) {
    if (error.status === undefined) throw error;
    return false;
  }
}
