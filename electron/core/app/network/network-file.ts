import { readFileSync, writeFileSync } from 'node:fs';
import { renameFileSync } from '#gateway/storage/rename-file.ts';
import { type NetworkSettings, networkSettings } from '#shared/contract/app/network.ts';

/**
 * The proxy and the trusted certificates, in a separate file that no backup contains. A foreign database must not send
 * the app's requests, with keys from the keychain, through a stranger's proxy.
 */
export function networkFile(path: string) {
  return {
    /** Returns null if there is no file or it can't be parsed. */
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
