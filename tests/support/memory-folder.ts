import { existsSync, readFileSync, statfsSync } from 'node:fs';

const folder = '/dev/shm';
const enough = 4 * 2 ** 30;

/**
 * Moves the temporary files of this process and its children into memory, if Linux has a large enough file system
 * there. Tests create thousands of databases, and on a disk they would wait for it after every write. Power-loss tests
 * don't need a real disk: they use a model of one (`power-loss.ts`). An existing `TMPDIR` is kept.
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
  // Some tests compile a library and load it. Containers often have a small folder that forbids execution.
  return bavail * bsize >= enough && mount?.split(' ')[2] === 'tmpfs' && !mount.split(' ')[3]?.includes('noexec');
}
