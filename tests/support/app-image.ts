import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { linkAll, rewrite } from '../e2e/packaged-app.ts';

/**
 * Stands in for the AppImage runtime, which the real builder downloads and this machine may not have. Like the real
 * one, it is a single file that unpacks its content, starts it and puts its own path into `APPIMAGE`. Electron's files
 * are the same in every version, so they are linked instead of copied.
 */
const runtime = `#!/bin/sh
[ "$APPIMAGE_EXIT_AFTER_INSTALL" = true ] && exit 0
APPIMAGE=$(readlink -f "$0")
export APPIMAGE
mount=$(mktemp -d "$TEST_MOUNTS/mount-XXXXXX")
cp -al "$TEST_RUNTIME/." "$mount"
sed '1,/^__ARCHIVE__$/d' "$0" | tar -x -C "$mount/resources"
exec "$mount/portico" $TEST_FLAGS --remote-debugging-port=0 --data-dir "$TEST_DATA" "$@" 2>> "$TEST_LOG"
__ARCHIVE__
`;

export interface AppImages {
  readonly env: Readonly<Record<string, string>>;
  /** Writes an AppImage of the program at this version into one file. */
  write(version: string, file: string): void;
}

/** Makes AppImages that can update themselves, from a packaged program at version 0.1.0. */
export function appImages(unpacked: string, folder: string, flags: readonly string[]): AppImages {
  const shell = join(folder, 'runtime');
  const mounts = join(folder, 'mounts');
  mkdirSync(mounts, { recursive: true });
  linkAll(unpacked, shell);
  const parts = ['app.asar', 'app.asar.unpacked'];
  execFileSync('rm', ['-rf', ...parts.map((part) => join(shell, 'resources', part))]);
  return {
    env: {
      TEST_MOUNTS: mounts,
      TEST_RUNTIME: shell,
      TEST_DATA: join(folder, 'data'),
      TEST_FLAGS: flags.join(' '),
      TEST_LOG: join(folder, 'stderr.log'),
      XDG_CACHE_HOME: join(folder, 'cache'),
    },
    write(version, file) {
      const resources = join(folder, `version-${version}`);
      linkAll(join(unpacked, 'resources'), resources);
      if (version !== '0.1.0') rewrite(join(resources, 'app.asar'), '"version": "0.1.0"', `"version": "${version}"`);
      execFileSync('tar', ['-cf', `${file}.tar`, '-C', resources, ...parts]);
      writeFileSync(file, Buffer.concat([Buffer.from(runtime), readFileSync(`${file}.tar`)]));
      execFileSync('rm', [`${file}.tar`]);
      chmodSync(file, 0o755);
    },
  };
}
