import { closeSync, fsyncSync, openSync, readFileSync, writeFileSync } from 'node:fs';
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
      let text: string;
      try {
        text = readFileSync(path, 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
      return networkSettings.parse(JSON.parse(text));
    },
    write(settings: NetworkSettings): void {
      const part = `${path}.part`;
      const file = openSync(part, 'w', 0o600);
      try {
        writeFileSync(file, JSON.stringify(settings));
        // Else a power cut could leave an empty file under the name.
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameFileSync(part, path);
    },
  };
}
