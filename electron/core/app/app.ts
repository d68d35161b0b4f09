import type { AppInfo } from '#shared/contract/app.ts';
import type { Host } from '../host.ts';
import type { Keychain } from '../keychain.ts';
import { safeUrl } from './link-guard.ts';

export interface AppDeps {
  readonly host: Host;
  readonly platform: string;
  readonly dataFolder: string;
  readonly keychain: Pick<Keychain, 'state'>;
  /** What keeps the app from answering. */
  readonly problem: () => string | null;
}

/** What the renderer runs in, and the way out of it. */
export function appFeature({ host, platform, dataFolder, keychain, problem }: AppDeps) {
  return {
    async info(): Promise<AppInfo> {
      const { name, version, ownTitleBar, background, notices, output } = host;
      return {
        version,
        platform,
        host: name,
        dataFolder,
        capabilities: { ownTitleBar, background, saveDialog: output.kind === 'dialog' },
        keychain: keychain.state(),
        notices: [...notices],
        problem: problem(),
      };
    },
    openLink: ({ url }: { url: string }): Promise<void> => host.openExternal(safeUrl(url)),
  };
}
