import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Sqlite from 'better-sqlite3';

const root = fileURLToPath(new URL('../..', import.meta.url));
const store = join(root, '.cache', 'built');
const ofEveryBuild = ['vite.config.ts', 'package.json', 'package-lock.json'];
const maxAgeMs = 24 * 60 * 60_000;

/** Builds that this process has already requested. */
const asked = new Map<string, Promise<string>>();

/**
 * Returns a folder with the output of `build`, which is called with the folder to write into. The folder's name
 * contains a hash of the sources in `folders`, so a build is made once per state of the sources and shared by all test
 * processes. Nobody may write into it.
 */
export function builtOnce(
  name: string,
  folders: readonly string[],
  build: (folder: string) => Promise<void>,
): Promise<string> {
  const known = asked.get(name) ?? built(join(store, `${name}-${getHash(folders)}`), build);
  asked.set(name, known);
  return known;
}

async function built(folder: string, build: (folder: string) => Promise<void>): Promise<string> {
  if (existsSync(folder)) return folder;
  mkdirSync(store, { recursive: true });
  // A second process that wants the same build waits for the first here. The operating system releases
  // the lock if a process dies.
  const lock = new Sqlite(`${folder}.lock`, { timeout: 120_000 });
  try {
    lock.exec('begin exclusive');
    if (existsSync(folder)) return folder;
    const unfinished = mkdtempSync(join(store, 'unfinished-'));
    await build(unfinished);
    renameSync(unfinished, folder);
  } finally {
    lock.close();
  }
  forgetOld();
  return folder;
}

function getHash(folders: readonly string[]): string {
  const hash = createHash('sha256');
  const sources = folders.flatMap((folder) => globSync(`${folder}/**/*.*`, { cwd: root })).filter(isSource);
  for (const file of [...ofEveryBuild, ...sources.sort()]) {
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(root, file)))
      .update('\0');
  }
  return hash.digest('hex').slice(0, 16);
}

const isSource = (file: string) => !/\.test\.tsx?$/.test(file) && statSync(join(root, file)).isFile();

/** Deletes builds of earlier states of the sources. Younger ones stay, because another process may still use them. */
function forgetOld(): void {
  for (const path of readdirSync(store).map((name) => join(store, name))) {
    if (statSync(path).mtimeMs < Date.now() - maxAgeMs) rmSync(path, { recursive: true, force: true });
  }
}
