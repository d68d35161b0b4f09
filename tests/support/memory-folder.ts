import { existsSync, readFileSync, statfsSync } from 'node:fs';

const folder = '/dev/shm';
const enough = 4 * 2 ** 30;

/**
 * Puts the temporary files of this process and of all that it starts into memory where Linux has a large file system for
 * that: tests make thousands of databases and wait for the disk after every write. What loses power is a model of a disk
 * (`power-loss.ts`) wherever it lies. A `TMPDIR` that is given stands.
 */
export function keepTemporaryFilesInMemory(): void {
  if (process.env.TMPDIR === undefined && isLargeMemory()) process.env.TMPDIR = folder;
}

function isLargeMemory(): boolean {
  if (process.platform !== 'linux' || !existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  const mount = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .find((line) => line.split(' ')[1] === folder);
  // Some tests compile a library and load it. Containers have a small folder that forbids this.
  return bavail * bsize >= enough && mount?.split(' ')[2] === 'tmpfs' && !mount.split(' ')[3]?.includes('noexec');
}
