import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  app,
  BrowserWindow,
  dialog,
  type IpcMainEvent,
  ipcMain,
  Menu,
  MessageChannelMain,
  Notification,
  nativeTheme,
  session,
  shell,
  type WebContents,
} from 'electron';
import type { EndedNotice } from '#core/runtime/host/host.ts';
import { type Log, openLog } from '#core/runtime/log/log.ts';
import { dataDirFlag, defaultDataFolder } from '#core/storage/database/data-folder.ts';
import type { Recovery, RecoveryOffer } from '#core/storage/database/recovery.ts';
import { openSecretService } from '#core/storage/secrets/secret-service.ts';
import { linkScheme } from '#shared/deep-link.ts';
import { messages } from '#shared/language/messages.ts';
import { refusalWords } from '#shared/language/refusal-words.ts';
import { getSentence } from '#shared/language/refusals.ts';
import { refusedSwitch } from './command-line.ts';
import { showContextMenus } from './context-menu.ts';
import { coreAnswers } from './core-process/answer-core.ts';
import { type CoreRunner, runCore } from './core-process/core-runner.ts';
import { restartLimit } from './core-process/restart-limit.ts';
import { refuseNavigation, refusePermissions } from './fences.ts';
import { openLeaving } from './leaving.ts';
import { type MainText, mainText } from './main-text.ts';
import { menuTemplate } from './menu-template.ts';
import { canMove, offerToMove } from './move-to-applications.ts';
import { followOpenedFiles } from './opening/opened-files.ts';
import { pageOrigin, registerScheme, servePage } from './protocol.ts';
import { openTray } from './tray.ts';
import { installedBy, loadUpdater } from './updates/load-updater.ts';
import { withoutUpdates } from './updates/update-feed.ts';
import { openUpdates } from './updates/updates.ts';
import { openQuickWindow } from './windows/quick-window.ts';
import { countWindows, followTheme, goTo, mainWindow, openWindow, ownTitleBar, runInPage } from './windows/window.ts';
import { windowState } from './windows/window-state.ts';

const everyMs = 2000;
/** Longer than any task of ours on a slow machine. Chromium waits twice as long, and only after user input. */
const maxUnanswered = 4;

/** Pings the page every two seconds; calls `hung` after eight seconds without an answer. */
function watchForHang(contents: WebContents, hung: () => void): void {
  const questions = unansweredQuestions(() => performance.now());
  const timer = setInterval(() => {
    // Not at a breakpoint, and not while it is being loaded.
    if (contents.isDevToolsOpened() || contents.isLoadingMainFrame() || contents.isCrashed()) return questions.forget();
    const ask = questions.next();
    if (ask === 'hung') hung();
    // A ping to a page that is gone may reject.
    else if (ask) contents.mainFrame.executeJavaScript('0').then(ask, ask);
  }, everyMs);
  contents.on('did-start-loading', questions.forget);
  contents.once('destroyed', () => clearInterval(timer));
}

/**
 * `next` returns the function to call when a ping is answered; null while one is unanswered, and `hung` after too long.
 * Time in which this process did not run, as while the machine sleeps, is not counted.
 */
export function unansweredQuestions(elapsed: () => number) {
  let open: symbol | null = null;
  let turns = 0;
  let before = elapsed();
  const forget = () => {
    open = null;
    turns = 0;
  };
  return {
    forget,
    next(): (() => void) | 'hung' | null {
      const now = elapsed();
      const late = now - before > 1.5 * everyMs;
      before = now;
      if (open === null) {
        const asked = Symbol();
        open = asked;
        return () => {
          if (open === asked) forget();
        };
      }
      if (!late) turns += 1;
      if (turns < maxUnanswered) return null;
      forget();
      return 'hung';
    },
  };
}

interface DeepLinksOptions {
  readonly args: readonly string[];
  /** Shows the window, with the link for the person to decide about. */
  readonly show: (link: string) => void;
}

/** The link among the arguments of a start of the program; what it means is read by the page. */
const linkAmong = (args: readonly string[]): string | undefined =>
  args.findLast((arg) => arg.toLowerCase().startsWith(`${linkScheme}:`));

/** The hash of the location that asks about a link. */
const hashOfLink = (link: string): string => `#open/${encodeURIComponent(link)}`;

/** Links of other programs: by the arguments of this start and of later ones, and on macOS by an event. */
function followDeepLinks({ args, show }: DeepLinksOptions): void {
  if (app.isPackaged) app.setAsDefaultProtocolClient(linkScheme);
  const first = linkAmong(args);
  const ready = app.whenReady();
  if (first !== undefined) void ready.then(() => show(first));
  app.on('second-instance', (_event, later) => {
    const link = linkAmong(later);
    if (link !== undefined) show(link);
  });
  app.on('open-url', (event, link) => {
    event.preventDefault();
    void ready.then(() => show(link));
  });
}

const quit = 0;

/** Shows a fatal error in a system dialog, offers the log, and quits. */
async function endWithMessage(why: 'windowStopped' | 'coreStopped', log: string, text: MainText): Promise<void> {
  for (;;) {
    const { response } = await dialog.showMessageBox({
      type: 'error',
      title: 'Portico',
      message: text[why],
      detail: text.chatsKept(log),
      buttons: [text.quit, text.openLog],
      defaultId: quit,
      cancelId: quit,
      noLink: true,
    });
    if (response === quit) return app.quit();
    const unopened = await shell.openPath(log);
    if (unopened !== '') shell.showItemInFolder(log);
  }
}

const { env, platform } = process;
// First of all: Chromium opens its debugging port after this file has run.
if (app.isPackaged) refuseSwitches();

/** The same as in electron-builder.yml. */
const appId = 'app.portico.desktop';
const beside = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const dataFolder = resolve(dataDirFlag(process.argv) ?? defaultDataFolder(platform, env, homedir()));

// Files in the data folder are readable by this user only.
process.umask(0o077);
registerScheme();
// Windows knows a program by it: notices, their clicks and the icon in the task bar belong to the Start menu's entry.
if (platform === 'win32') app.setAppUserModelId(appId);
// Chromium’s sandbox does not work for root, as in containers; that must be requested explicitly.
if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();
mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
app.setPath('userData', join(dataFolder, 'browser'));

if (app.requestSingleInstanceLock()) run();
else app.quit();

function refuseSwitches(): void {
  const withoutSandbox = process.getuid?.() === 0 || env.APPIMAGE !== undefined;
  const refused = refusedSwitch({ args: process.argv.slice(1), platform, withoutSandbox });
  if (refused === null) return;
  const sentence = `the installed app does not take --${refused}. Start it without.`;
  process.stderr.write(`portico: ${sentence}\n`);
  // Nobody sees what a program with windows writes there. On Linux Electron would write it to the same place.
  if (platform !== 'linux') dialog.showErrorBox('Portico', `Portico cannot start: ${sentence}`);
  process.exit(2);
}

function run(): void {
  const state = windowState(dataFolder);
  nativeTheme.themeSource = state.get().theme;
  const logFile = join(dataFolder, 'logs', 'portico.log');
  // The core’s process writes the same file, so it is opened for each of the few lines here.
  const log: Log = (entry) => openLog(dataFolder, Date.now)(entry);
  const text = () => mainText(state.get().language);
  const showMenu = () => {
    const { language, shortcuts } = state.get();
    const template = menuTemplate({ platform, packaged: app.isPackaged, language, shortcuts, run: runInPage });
    Menu.setApplicationMenu(Menu.buildFromTemplate(template));
  };
  const preload = beside('../preload/preload.cjs');
  const revive = (window: BrowserWindow) =>
    reviveWindow(window, { log, gaveUp: () => void endWithMessage('windowStopped', logFile, text()) });
  const open = () => {
    const window = openWindow(preload, state);
    leaving.watch(window);
    revive(window);
    // A hidden window is none for whoever closed the last one.
    window.once('closed', () => {
      if (countWindows() === 0 && endsWithWindow()) app.quit();
    });
  };
  const show = () => {
    const window = mainWindow();
    if (!window) return open();
    if (window.isMinimized()) window.restore();
    window.show();
    window.focus();
  };
  const showAt = (hash: string) => {
    show();
    goTo(hash);
  };
  const showChat = (conversationId: string, messageId: string) => {
    showAt(`#chat/${encodeURIComponent(conversationId)}/${encodeURIComponent(messageId)}`);
  };
  const tray = openTray({
    language: () => state.get().language,
    open: show,
    newChat: () => showAt('#chat'),
    quit: () => app.quit(),
  });
  const endsWithWindow = () => platform !== 'darwin' && !tray.isShown();
  const quickWindow = openQuickWindow({
    preload,
    opened: revive,
    showChat(conversationId) {
      showAt(conversationId === null ? '#chat' : `#chat/${encodeURIComponent(conversationId)}`);
    },
  });
  const leaving = openLeaving({
    text,
    endsWithWindow: () => countWindows() === 1 && endsWithWindow(),
    closeCore: async () => (await core).close(8_000),
  });
  const feedFile = beside('../update.json');
  const updates = openUpdates({
    unavailable: withoutUpdates({
      file: feedFile,
      installedBy: app.isPackaged ? installedBy(platform, env, process.resourcesPath) : null,
    }),
    load: () => loadUpdater(feedFile),
    now: Date.now,
    endInto: (install) =>
      leaving.endInto(() => {
        // What is started by the installation is not the second one.
        app.releaseSingleInstanceLock();
        install();
      }),
    keepRunning: leaving.keepRunning,
    startAgain() {
      app.relaunch(env.APPIMAGE ? { execPath: env.APPIMAGE, args: process.argv.slice(1) } : {});
      app.quit();
    },
    log,
  });
  refuseNavigation();
  showContextMenus(text);

  const start = () => {
    servePage(session.defaultSession, beside('../renderer'));
    refusePermissions(session.defaultSession);
    showMenu();
    followTheme();
    // The window first: the core opens while the page loads.
    open();
    return runCore({
      file: beside('./core-process.js'),
      dataFolder,
      ownTitleBar,
      answer: coreAnswers({
        state,
        showMenu,
        showTray: (wanted) => tray.show(wanted && platform !== 'darwin'),
        notify: notices({ text, show: showChat }),
        showRunning: leaving.showRunning,
        updates,
        openedFiles,
        quickWindow,
        openWindow: open,
        openSecrets: () => openSecretService('Portico'),
        log,
      }),
      log,
      failed(failure, offer, again) {
        const sentence = getSentence(messages(refusalWords)(state.get().language), failure);
        if (offer) return void askHowToRecover({ sentence, offer, dataFolder, text: text(), again });
        dialog.showErrorBox(text().cannotStart, `${sentence}\n\n${text().logAt(logFile)}`);
        app.exit(2);
      },
      gaveUp() {
        leaving.showRunning(0);
        void endWithMessage('coreStopped', logFile, text());
      },
    });
  };
  // At once where nothing is asked: a link or file of this start waits for the same moment, and needs the page to be served.
  const core = app.whenReady().then(async () => {
    if (!canMove()) return start();
    // Until the moved one starts, this one does nothing.
    return (await offerToMove(text(), log)) ? new Promise<never>(() => {}) : start();
  });
  handOverPorts(core);

  app.on('second-instance', show);
  followDeepLinks({ args: process.argv, show: (link) => showAt(hashOfLink(link)) });
  const openedFiles = followOpenedFiles({ args: process.argv, show: showAt });
  app.on('activate', () => {
    if (!mainWindow()) open();
  });
  // The last of ours was asked about when it was closed.
  app.on('window-all-closed', () => {});
}

/** Gives our page a port to the core as soon as the core is open. Messages on it do not pass through this process. */
function handOverPorts(core: Promise<CoreRunner>): void {
  ipcMain.on('portico:ask', async (event) => {
    if (!isOwnPage(event)) return;
    const serve = await (await core).open();
    if (event.sender.isDestroyed()) return;
    const { port1, port2 } = new MessageChannelMain();
    serve(port1);
    event.senderFrame?.postMessage('portico:port', null, [port2]);
  });
}

/** Whether it is the main frame of our page (security page, rule 9). */
function isOwnPage({ senderFrame, sender }: IpcMainEvent): boolean {
  return senderFrame !== null && senderFrame === sender.mainFrame && senderFrame.origin === pageOrigin;
}

interface ReviveOptions {
  readonly log: Log;
  /** Called when the page has crashed too often. */
  readonly gaveUp: () => void;
}

/** Reloads the page at its location when its process crashes or hangs. */
function reviveWindow(window: BrowserWindow, { log, gaveUp }: ReviveOptions): void {
  const { webContents } = window;
  const next = restartLimit(() => performance.now());

  webContents.on('render-process-gone', (_, { reason, exitCode }) => {
    if (reason === 'clean-exit') return;
    log({ event: 'window_ended', reason, code: exitCode });
    const pauseMs = next();
    if (pauseMs === null) return gaveUp();
    setTimeout(() => {
      if (!window.isDestroyed()) webContents.reload();
    }, pauseMs);
  });
  watchForHang(webContents, () => webContents.forcefullyCrashRenderer());
}

interface Asked {
  /** What is wrong, and with which file. */
  readonly sentence: string;
  readonly offer: RecoveryOffer;
  readonly dataFolder: string;
  readonly text: MainText;
  readonly again: (recovery: Recovery) => void;
}

/** A database that cannot be opened: a person chooses between its newest backup, the folder with the file, and the end of the program. */
async function askHowToRecover({ sentence, offer, dataFolder, text, again }: Asked): Promise<void> {
  const { recover } = text;
  const { of, fault, backupAt } = offer;
  const [from, without] =
    of === 'chats' ? [recover.fromBackup, recover.withoutBackup] : [recover.fromCopy, recover.withoutCopy];
  const choice = backupAt === null ? without : from(new Date(backupAt).toLocaleString());
  const buttons = [text.quit, recover.folder, backupAt === null ? recover.empty[of] : recover.restore];
  const [quit, folder] = [0, 1];
  for (;;) {
    const { response } = await dialog.showMessageBox({
      type: 'error',
      title: 'Portico',
      message: recover.title[of],
      detail: [sentence, ...(fault === 'newer' ? [recover.newer] : []), choice].join('\n\n'),
      buttons,
      defaultId: quit,
      cancelId: quit,
      noLink: true,
    });
    if (response === quit) return app.exit(2);
    if (response !== folder) return again(backupAt === null ? 'new-database' : 'newest-backup');
    await shell.openPath(dataFolder);
  }
}

interface NoticesOptions {
  readonly text: () => MainText;
  readonly show: (conversationId: string, messageId: string) => void;
}

/** Notifications of the system about answers that have ended; none while a window is looked at. Their number stands on the app’s icon until one is. A click shows the chat. */
function notices({ text, show }: NoticesOptions) {
  /** Kept until they are gone: one that is collected as garbage does not react any more. */
  const shown = new Set<Notification>();
  let unseen = 0;
  app.on('browser-window-focus', () => {
    unseen = 0;
    app.setBadgeCount(0);
  });
  return ({ conversationId, messageId, failed, title }: EndedNotice): void => {
    if (BrowserWindow.getAllWindows().some((window) => window.isFocused())) return;
    unseen += 1;
    // On the icon in the dock or launcher; Windows has none, but lets it flash.
    if (!app.setBadgeCount(unseen)) mainWindow()?.flashFrame(true);
    if (!Notification.isSupported()) return;
    const words = failed ? text().answerFailed : text().answerFinished;
    const notification = new Notification(title === null ? { title: words } : { title, body: words });
    shown.add(notification);
    const gone = () => shown.delete(notification);
    notification.on('click', () => {
      gone();
      show(conversationId, messageId);
    });
    notification.on('close', gone);
    notification.on('failed', gone);
    notification.show();
  };
}
