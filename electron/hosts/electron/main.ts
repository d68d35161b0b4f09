import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { app, type BrowserWindow, dialog, Menu, nativeTheme, session } from 'electron';
import { type Log, openLog } from '#core/runtime/log/log.ts';
import { dataDirFlag, defaultDataFolder } from '#core/storage/database/data-folder.ts';
import { openSecretService } from '#core/storage/secrets/secret-service.ts';
import { messages } from '#shared/language/messages.ts';
import { refusalWords } from '#shared/language/refusal-words.ts';
import { getSentence } from '#shared/language/refusals.ts';
import { askHowToRecover } from './ask-how-to-recover.ts';
import { refusedSwitch } from './command-line.ts';
import { showContextMenus } from './context-menu.ts';
import { coreAnswers } from './core-process/answer-core.ts';
import { runCore } from './core-process/core-runner.ts';
import { endWithMessage } from './end-with-message.ts';
import { refuseNavigation, refusePermissions } from './fences.ts';
import { handOverPorts } from './hand-over-port.ts';
import { openLeaving } from './leaving.ts';
import { mainText } from './main-text.ts';
import { menuTemplate } from './menu-template.ts';
import { canMove, offerToMove } from './move-to-applications.ts';
import { notices } from './notices.ts';
import { followDeepLinks, hashOfLink } from './opening/deep-links.ts';
import { followOpenedFiles } from './opening/opened-files.ts';
import { registerScheme, servePage } from './protocol.ts';
import { openTray } from './tray.ts';
import { installedBy, loadUpdater } from './updates/load-updater.ts';
import { withoutUpdates } from './updates/update-feed.ts';
import { openUpdates } from './updates/updates.ts';
import { openQuickWindow } from './windows/quick-window.ts';
import { reviveWindow } from './windows/revive-window.ts';
import { countWindows, followTheme, goTo, mainWindow, openWindow, ownTitleBar, runInPage } from './windows/window.ts';
import { windowState } from './windows/window-state.ts';

const { env, platform } = process;
// This comes before everything else, because Chromium opens its debugging port after this file has run.
if (app.isPackaged) refuseSwitches();

/** The same as in electron-builder.yml. */
const appId = 'app.portico.desktop';
const beside = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const dataFolder = resolve(dataDirFlag(process.argv) ?? defaultDataFolder(platform, env, homedir()));

// Files in the data folder are readable by this user only.
process.umask(0o077);
registerScheme();
// Windows identifies a program by this id: notifications, clicks on them and the taskbar icon belong to its Start menu
// entry.
if (platform === 'win32') app.setAppUserModelId(appId);
// Chromium's sandbox doesn't work for root, as in containers. Running without it must be requested explicitly.
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
  // Nobody sees the standard error of a program with windows. On Linux, Electron's error box would write to it again.
  if (platform !== 'linux') dialog.showErrorBox('Portico', `Portico cannot start: ${sentence}`);
  process.exit(2);
}

function run(): void {
  const state = windowState(dataFolder);
  nativeTheme.themeSource = state.get().theme;
  const logFile = join(dataFolder, 'logs', 'portico.log');
  // The core's process writes to the same file, so it is opened for each of the few lines here.
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
    // A hidden quick window doesn't keep the app running once the last real window is closed.
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
        // Without this, the installed version would find this instance still running and quit.
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
    // The window comes first: the core opens while the page loads.
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
  // Starts at once if there is nothing to ask. A link or file of this start waits for the same moment, and needs the
  // page to be served.
  const core = app.whenReady().then(async () => {
    if (!canMove()) return start();
    // Until the moved app starts, this one does nothing.
    return (await offerToMove(text(), log)) ? new Promise<never>(() => {}) : start();
  });
  handOverPorts(core);

  app.on('second-instance', show);
  followDeepLinks({ args: process.argv, show: (link) => showAt(hashOfLink(link)) });
  const openedFiles = followOpenedFiles({ args: process.argv, show: showAt });
  app.on('activate', () => {
    if (!mainWindow()) open();
  });
  // Without a handler, Electron would quit here. The `closed` handler of the last window has already decided.
  app.on('window-all-closed', () => {});
}
