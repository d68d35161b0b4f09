import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const scripts = fileURLToPath(new URL('../scripts/', import.meta.url));
const nodeInPackages = join('node_modules', 'node', 'bin', 'node');
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-bootstrap-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const inFolder = (...parts: string[]) => join(folder, ...parts);

function write(path: string, content: string): void {
  mkdirSync(dirname(inFolder(path)), { recursive: true });
  writeFileSync(inFolder(path), content);
}

function run(program: string, parameters: string[], cwd = folder) {
  const path = [inFolder('machine'), process.env.PATH].join(delimiter);
  const { status, stderr } = spawnSync(program, parameters, {
    cwd,
    env: { PATH: path, HOME: folder },
    encoding: 'utf8',
  });
  return { status, stderr };
}

const done = (outcome: ReturnType<typeof run>) => expect(outcome, outcome.stderr).toMatchObject({ status: 0 });

/** Packs a package as the registry has it. An installation extracts it, while a folder would only be linked. */
function pack(name: string, files: Record<string, string>, bin?: string): void {
  write(`${name}/package.json`, JSON.stringify({ name, version: '1.0.0', bin }));
  for (const [file, content] of Object.entries(files)) write(`${name}/${file}`, content);
  done(run('npm', ['pack', '--pack-destination', folder], inFolder(name)));
}

const writeManifest = (description: string) =>
  write(
    'package.json',
    JSON.stringify({
      name: 'app',
      version: '1.0.0',
      description,
      dependencies: { node: 'file:node-1.0.0.tgz', vite: 'file:vite-1.0.0.tgz' },
    }),
  );

test.skipIf(process.platform === 'win32')(
  "a script that runs on the packages' own Node survives the replacement of the packages and builds",
  { timeout: 120_000 },
  () => {
    for (const file of ['build.mjs', 'bootstrap.mjs', 'one-at-a-time.mjs', 'own-programs.mjs'])
      cpSync(join(scripts, file), inFolder('scripts', file));
    for (const area of ['shared', 'gateway', 'electron', 'renderer']) mkdirSync(inFolder(area));
    mkdirSync(inFolder('machine'));
    symlinkSync(process.execPath, inFolder('machine', 'node'));
    // The real package comes from the registry. It's a copy and no link, as here.
    pack('node', {
      'installArchSpecificPackage.js': `const fs = require('node:fs'); fs.mkdirSync('bin');
        fs.copyFileSync(${JSON.stringify(process.execPath)}, 'bin/node'); fs.chmodSync('bin/node', 0o755);`,
    });
    const vite = `const fs = require('node:fs'); fs.mkdirSync('dist', { recursive: true });
      fs.writeFileSync('dist/by', process.execPath);`;
    pack('vite', { 'bin/vite.js': vite }, 'bin/vite.js');
    writeManifest('as it was');
    done(run('npm', ['install', '--package-lock-only', '--offline', '--ignore-scripts']));
    done(run('node', ['scripts/build.mjs']));
    done(run('node', ['installArchSpecificPackage.js'], inFolder('node_modules', 'node')));

    writeManifest('after an update');
    const outcome = run(inFolder(nodeInPackages), ['scripts/build.mjs']);
    done(outcome);
    expect(outcome.stderr).toContain('installing dependencies');
    expect(outcome.stderr).toContain('fetching Node 24');
    expect(existsSync(inFolder(nodeInPackages))).toBe(true);
    expect(readFileSync(inFolder('dist', 'by'), 'utf8')).toBe(realpathSync(inFolder(nodeInPackages)));
    // Nothing has changed since, so nothing is installed or built again.
    expect(run(inFolder(nodeInPackages), ['scripts/build.mjs'])).toEqual({ status: 0, stderr: '' });
  },
);
