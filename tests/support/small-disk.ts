import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, copyFileSync, existsSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A file system of a few megabytes. Only programs started with `within` see it, as `folder`. */
export interface SmallDisk {
  readonly folder: string;
  /** Goes before a program's command line. The program keeps its process id. */
  readonly within: readonly string[];
  /** Fills all space that is left, to the last byte. */
  fill(): void;
  free(): void;
  /** Copies everything in a folder onto the disk, or everything on the disk into a folder. */
  copyIn(from: string): void;
  copyOut(to: string): void;
  close(): Promise<void>;
}

/** Returns why this machine can't have one, or null if it can. */
export function smallDiskMissing(): string | null {
  if (process.platform !== 'linux') return 'this is no Linux';
  try {
    execFileSync('unshare', ['--map-root-user', '--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt'], {
      stdio: 'ignore',
    });
    return null;
  } catch {
    return 'nobody may mount here';
  }
}

export async function smallDisk(folder: string, megabytes: number): Promise<SmallDisk> {
  const mounted = `mount -t tmpfs -o size=${megabytes}m none "$0" && echo mounted && exec sleep infinity`;
  const holder = spawn('unshare', ['--map-root-user', '--mount', 'sh', '-c', mounted, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await Promise.race([once(holder.stdout, 'data'), failed(holder)]);
  // Use this path only for the system's own file calls. Resolving the link would lead to the
  // ordinary folder below the mount.
  const outside = join('/proc', String(holder.pid), 'root', folder);
  const filler = join(outside, 'filler');
  return {
    folder,
    within: ['nsenter', '--target', String(holder.pid), '--user', '--mount', '--preserve-credentials', '--'],
    fill() {
      const file = openSync(filler, 'a');
      for (let size = 1024 * 1024; size >= 1; ) {
        try {
          writeSync(file, Buffer.alloc(size));
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
          size = Math.floor(size / 2);
        }
      }
      closeSync(file);
    },
    free() {
      if (existsSync(filler)) rmSync(filler);
    },
    copyIn: (from) => copyAll(from, outside),
    copyOut: (to) => copyAll(outside, to),
    async close() {
      const ended = once(holder, 'exit');
      holder.kill('SIGKILL');
      await ended;
    },
  };
}

function copyAll(from: string, to: string): void {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isFile()) copyFileSync(source, target);
    if (!entry.isDirectory()) continue;
    mkdirSync(target);
    copyAll(source, target);
  }
}

async function failed(holder: ChildProcess): Promise<never> {
  const [code] = await once(holder, 'exit');
  throw new Error(`the small disk could not be mounted (${code})`);
}
