import { readFileSync, writeFileSync } from 'node:fs';
import { renameFileSync } from '#gateway/storage/rename-file.ts';
import { type NetworkSettings, networkSettings } from '#shared/contract/app/network.ts';

/**
 * The proxy and the trusted certificates, in a file of their own, which no backup contains: a database from elsewhere must not lead
 * the app's calls, with the keys of the keychain, through a stranger's proxy.
 */
export function networkFile(path: string) {
  return {
    /** Null where there is none, or none that can be read. */
    read(): NetworkSettings | null {
      try {
        return networkSettings.parse(JSON.parse(readFileSync(path, 'utf8')));
      } catch {
        return null;
      }
    },
    write(settings: NetworkSettings): void {
      const part = `${path}.part`;
      writeFileSync(part, JSON.stringify(settings), { mode: 0o600 });
      renameFileSync(part, path);
    },
  };
}

export type NetworkFile = ReturnType<typeof networkFile>;
