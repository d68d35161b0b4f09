import { createORPCClient, ORPCError } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import type { ContractRouterClient } from '@orpc/contract';
import type { MessagePortMain } from 'electron';
import type { Host } from '#core/runtime/host/host.ts';
import type { SecretStore } from '#core/storage/secrets/keychain.ts';
import type { SessionMemory } from '#core/storage/secrets/session-memory.ts';
import { AppError, type ErrorCode, isErrorCode, refusalIn } from '#shared/errors.ts';
import { refusal } from '#shared/language/refusals.ts';
import type { mainContract } from './main-contract.ts';

type Main = ContractRouterClient<typeof mainContract>;

/** Creates a client of the main process. Its errors arrive as the original `AppError`. */
export function mainProcess(port: MessagePortMain): Main {
  const link = new RPCLink({
    port,
    interceptors: [
      async ({ next }) => {
        try {
          return await next();
        } catch (error) {
          throw error instanceof ORPCError && isErrorCode(error.code) ? asItWas(error, error.code) : error;
        }
      },
    ],
  });
  port.start();
  return createORPCClient(link);
}

/** The main process has ended, and this one will end too. */
const mainEnded = () => {};

interface HostFacts {
  readonly version: string;
  readonly platform: NodeJS.Platform;
  /** The page's top row is the title bar. */
  readonly ownTitleBar: boolean;
}

/** Implements the host interface by calls to the main process. */
export function coreHost(main: Main, { version, platform, ownTitleBar }: HostFacts): Host {
  return {
    name: 'electron',
    version,
    ownTitleBar,
    // On macOS programs keep running without a window anyway.
    tray: platform !== 'darwin',
    notices: [],
    output: {
      kind: 'dialog',
      askWhere: (name) => main.askWhere({ name }),
      async printPdf(html, signal) {
        const printed = await main.printPdf(new Blob([html]), { signal }).catch((error: unknown) => {
          if (signal.aborted) throw refusal('cancelled', 'exportGivenUp');
          throw error;
        });
        return new Uint8Array(await printed.arrayBuffer());
      },
    },
    openedFile: (fileId) => main.openedFile({ fileId }),
    openExternal: (url) => main.openExternal({ url }),
    confirm: ({ facts, ...question }, signal) =>
      main
        .confirm({ ...question, facts: facts.map(({ label, lines }) => ({ label, lines: [...lines] })) }, { signal })
        .catch((error: unknown) => {
          if (signal.aborted) return false;
          throw error;
        }),
    spellCheck: true,
    // macOS has the menus at the top of the screen. A system title bar has them above the page.
    showMenu: ownTitleBar && platform !== 'darwin' ? (place) => main.showMenu(place) : null,
    zoom: (to) => main.zoom({ to }),
    showSettings({ theme, language, shortcuts, spellCheck, keepRunning, checkUpdates }) {
      main.showSettings({ theme, language, shortcuts, spellCheck, keepRunning, checkUpdates }).catch(mainEnded);
    },
    openWindow: () => main.openWindow(),
    quickWindow: {
      setKeys: (keys) => main.quickWindow.setKeys({ keys }),
      hide: () => main.quickWindow.hide(),
      continueInMain: (conversationId) => main.quickWindow.continueInMain({ conversationId }),
    },
    updates: {
      follow(changed) {
        const all = async () => {
          for await (const state of await main.updates.follow()) changed(state);
        };
        all().catch(mainEnded);
      },
      check: () => main.updates.check(),
      install: () => main.updates.install(),
      postpone: () => main.updates.postpone(),
    },
    showProxy({ proxy, address, username, password, bypass }) {
      main.showProxy({ proxy, address, username, password, bypass }).catch(mainEnded);
    },
    notify(notice) {
      main.notify(notice).catch(mainEnded);
    },
    proxyFor: (origin) => main.proxyFor({ origin }),
    showRunning(answers) {
      main.showRunning({ answers }).catch(mainEnded);
    },
  };
}

/** Secrets of this session, which the main process holds. */
export const mainSession = ({ session }: Main): SessionMemory => ({
  all: () => session.all(),
  set: (account, secret) => session.set({ account, secret }),
  remove: (account) => session.remove({ account }),
});

/** The keychain, which the main process accesses. */
export const mainSecrets = ({ secrets }: Main): SecretStore => ({
  get: (account) => secrets.get({ account }),
  set: (account, secret) => secrets.set({ account, secret }),
  remove: (account) => secrets.remove({ account }),
});

function asItWas({ message, data }: ORPCError<string, unknown>, code: ErrorCode): AppError {
  const refusal = refusalIn(data);
  return new AppError(code, message, refusal ? { refusal } : {});
}
