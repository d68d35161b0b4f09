import type { AppInfo, MenuPlace, SecretsTest, ZoomStep } from '#shared/contract/app/app.ts';
import type { ProblemText } from '#shared/errors.ts';
import { safeUrl } from '../runtime/host/link-guard.ts';
import type { CoreContext } from '../storage/core-context.ts';
import type { Keychain } from '../storage/secrets/keychain.ts';

export interface AppDeps extends CoreContext {
  readonly platform: string;
  /** Problems with the data folder that don't stop the app from working. */
  readonly notices: readonly ProblemText[];
  readonly keychain: Pick<Keychain, 'state'>;
  /** Returns why the app can't answer, or null. */
  readonly problem: () => ProblemText | null;
  readonly testSecrets: (signal: AbortSignal | undefined) => Promise<SecretsTest>;
}

/** Reports facts about the host, and opens links outside the app. */
export function appFeature({ host, platform, dataFolder, notices, keychain, problem, testSecrets }: AppDeps) {
  return {
    async info(): Promise<AppInfo> {
      const {
        name,
        version,
        ownTitleBar,
        tray,
        output,
        showMenu,
        zoom,
        spellCheck,
        notify,
        updates,
        quickWindow,
        openWindow,
      } = host;
      return {
        version,
        platform,
        host: name,
        dataFolder,
        capabilities: {
          ownTitleBar,
          tray,
          saveDialog: output.kind === 'dialog',
          appMenu: showMenu !== null,
          zoom: zoom !== null,
          spellCheck,
          notifications: notify !== null,
          updates: updates !== null,
          quickWindow: quickWindow !== null,
          windows: openWindow !== null,
        },
        keychain: keychain.state(),
        notices: [...host.notices, ...notices],
        problem: problem(),
      };
    },
    async showMenu(place: MenuPlace): Promise<void> {
      await host.showMenu?.(place);
    },
    async zoom({ to }: { to: ZoomStep }): Promise<void> {
      await host.zoom?.(to);
    },
    async openWindow(): Promise<void> {
      await host.openWindow?.();
    },
    testSecrets: (_: unknown, signal: AbortSignal | undefined) => testSecrets(signal),
    openLink: ({ url }: { url: string }): Promise<void> => host.openExternal(safeUrl(url)),
  };
}
