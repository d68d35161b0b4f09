import { extname, join } from 'node:path';
import { implement } from '@orpc/server';
import { RPCHandler } from '@orpc/server/message-port';
import { app, session as browserSession, dialog, type MessagePortMain, nativeTheme } from 'electron';
import { rpcErrors } from '#core/rpc/rpc-errors.ts';
import type { Question } from '#core/runtime/host/ask-person.ts';
import type { EndedNotice } from '#core/runtime/host/host.ts';
import type { Log } from '#core/runtime/log/log.ts';
import type { RecoveryOffer } from '#core/storage/database/recovery.ts';
import type { SecretStore } from '#core/storage/secrets/keychain.ts';
import { sessionMemory } from '#core/storage/secrets/session-memory.ts';
import { chatsFile } from '#shared/chats-file.ts';
import { AppError, type ProblemText } from '#shared/errors.ts';
import { openOutside } from '../open-outside.ts';
import type { OpenedFiles } from '../opening/opened-files.ts';
import { printPdf } from '../print-pdf.ts';
import type { Updates } from '../updates/updates.ts';
import type { QuickWindow } from '../windows/quick-window.ts';
import { mainWindow, showMenuAt, zoomWindow } from '../windows/window.ts';
import type { WindowStateFile } from '../windows/window-state.ts';
import { firstProxy } from './first-proxy.ts';
import { mainContract } from './main-contract.ts';

const no = 0;

const yes = 1;

/** Shows the system's message box, which no page can see, press or reword. Enter, Escape and closing mean no. */
async function askPerson(question: Question, signal: AbortSignal): Promise<boolean> {
  const options: Electron.MessageBoxOptions = {
    type: 'warning',
    title: 'Portico',
    message: question.title,
    detail: getText(question),
    buttons: [question.no, question.yes],
    defaultId: no,
    cancelId: no,
    noLink: true,
    signal,
  };
  const window = mainWindow();
  const { response } = await (window ? dialog.showMessageBox(window, options) : dialog.showMessageBox(options));
  return response === yes;
}

const getText = ({ advice, facts }: Question): string =>
  [advice, ...facts.map(({ label, lines }) => [`${label}:`, ...lines].join('\n'))].join('\n\n');

const kinds: Readonly<Record<string, string>> = {
  md: 'Markdown',
  html: 'HTML',
  json: 'JSON',
  pdf: 'PDF',
  [chatsFile.ending]: 'Portico',
};

/** Shows the system's save dialog. Returns null if cancelled. */
async function askWhere(name: string): Promise<string | null> {
  const ending = extname(name).slice(1);
  const options: Electron.SaveDialogOptions = {
    defaultPath: join(app.getPath('downloads'), name),
    filters: [{ name: kinds[ending] ?? ending, extensions: [ending] }],
    properties: ['createDirectory', 'showOverwriteConfirmation'],
  };
  const window = mainWindow();
  const { canceled, filePath } = await (window
    ? dialog.showSaveDialog(window, options)
    : dialog.showSaveDialog(options));
  return canceled || !filePath ? null : filePath;
}

export interface CoreAnswers {
  readonly state: WindowStateFile;
  /** Rebuilds the menus from the current state. */
  readonly showMenu: () => void;
  /**
   * Shows or removes the tray icon, with which the app keeps running without a window. Returns false if this desktop
   * has no tray.
   */
  readonly showTray: (wanted: boolean) => boolean;
  readonly notify: (notice: EndedNotice) => void;
  readonly showRunning: (answers: number) => void;
  readonly updates: Updates;
  readonly openedFiles: OpenedFiles;
  readonly quickWindow: QuickWindow;
  readonly openWindow: () => void;
  readonly openSecrets: () => Promise<SecretStore>;
  readonly log: Log;
}

/**
 * Serves the calls of the core's process. `opened` is called with null when the core is open, or with the reason why it
 * can't be opened.
 */
export function coreAnswers({
  state,
  showMenu,
  showTray,
  notify,
  showRunning,
  updates,
  openedFiles,
  quickWindow,
  openWindow,
  openSecrets,
  log,
}: CoreAnswers) {
  const session = sessionMemory();
  let keychain: SecretStore | null = null;
  /** Keeps the library's message, by which the core recognises a locked, missing or broken keychain. */
  async function withKeychain<T>(ask: (store: SecretStore) => Promise<T>): Promise<T> {
    try {
      keychain ??= await openSecrets();
      return await ask(keychain);
    } catch (cause) {
      throw new AppError('keychain_failed', cause instanceof Error ? cause.message : '', { cause });
    }
  }
  const os = implement(mainContract);
  const rpc = rpcErrors(log);

  return (port: MessagePortMain, opened: (failure: ProblemText | null, offer: RecoveryOffer | null) => void): void => {
    const router = os.router({
      opened: os.opened.handler(({ input }) => opened(input.failure, input.offer)),
      openExternal: os.openExternal.handler(({ input }) => openOutside(input.url)),
      confirm: os.confirm.handler(({ input, signal }) => askPerson(input, signal ?? never)),
      showSettings: os.showSettings.handler(({ input }) => {
        nativeTheme.themeSource = input.theme;
        state.set(input);
        showMenu();
        setSpellCheck(input.spellCheck);
        if (!showTray(input.keepRunning)) log({ event: 'tray_unavailable' });
        updates.setAutomaticChecks(input.checkUpdates);
      }),
      showProxy: os.showProxy.handler(({ input }) => updates.useProxy(input)),
      openWindow: os.openWindow.handler(() => openWindow()),
      quickWindow: {
        setKeys: os.quickWindow.setKeys.handler(({ input }) => quickWindow.setKeys(input.keys)),
        hide: os.quickWindow.hide.handler(() => quickWindow.hide()),
        continueInMain: os.quickWindow.continueInMain.handler(({ input }) =>
          quickWindow.continueInMain(input.conversationId),
        ),
      },
      updates: {
        follow: os.updates.follow.handler(({ signal }) => updates.states(signal ?? never)),
        check: os.updates.check.handler(() => updates.check()),
        install: os.updates.install.handler(() => updates.install()),
        postpone: os.updates.postpone.handler(() => updates.postpone()),
      },
      notify: os.notify.handler(({ input }) => notify(input)),
      showRunning: os.showRunning.handler(({ input }) => showRunning(input.answers)),
      showMenu: os.showMenu.handler(({ input }) => showMenuAt(input.x, input.y)),
      zoom: os.zoom.handler(({ input }) => zoomWindow(input.to)),
      proxyFor: os.proxyFor.handler(async ({ input }) =>
        firstProxy(await browserSession.defaultSession.resolveProxy(input.origin)),
      ),
      openedFile: os.openedFile.handler(({ input }) => openedFiles.take(input.fileId)),
      askWhere: os.askWhere.handler(({ input }) => askWhere(input.name)),
      printPdf: os.printPdf.handler(({ input, signal }) => printPdf(input, signal ?? never)),
      secrets: {
        get: os.secrets.get.handler(({ input }) => withKeychain((store) => store.get(input.account))),
        set: os.secrets.set.handler(({ input }) => withKeychain((store) => store.set(input.account, input.secret))),
        remove: os.secrets.remove.handler(({ input }) => withKeychain((store) => store.remove(input.account))),
      },
      session: {
        all: os.session.all.handler(async () => [...(await session.all())]),
        set: os.session.set.handler(({ input }) => session.set(input.account, input.secret)),
        remove: os.session.remove.handler(({ input }) => session.remove(input.account)),
      },
    });
    new RPCHandler(router, rpc).upgrade(port, { context: {} });
    port.start();
  };
}

/** Also takes effect in windows that are already open. */
const setSpellCheck = (on: boolean) => browserSession.defaultSession.setSpellCheckerEnabled(on);

const never = new AbortController().signal;
