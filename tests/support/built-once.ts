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
const keptMs = 24 * 60 * 60_000;

/** What this process has asked for already. */
const asked = new Map<string, Promise<string>>();

/**
 * The folder with what `build` writes into the one that it is given, made of these folders' files as they are now. It is built
 * where there is none yet, whoever asks first, and is the same one for all tests: nobody writes into it.
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
  // Who wants the same waits for the first one's. The operating system ends the lock of a process that ends.
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

/** What another state of the sources was built to, unless it may still be in use. */
function forgetOld(): void {
  for (const path of readdirSync(store).map((each) => join(store, each))) {
    if (statSync(path).mtimeMs < Date.now() - keptMs) rmSync(path, { recursive: true, force: true });
  }
}
