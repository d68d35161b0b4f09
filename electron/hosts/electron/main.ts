import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { app, BrowserWindow, dialog, nativeTheme, session } from 'electron';
import { type Core, openCore } from '#core/core.ts';
import { dataDirFlag, defaultDataFolder } from '#core/data-folder.ts';
import { openSecretService } from '#core/secret-service.ts';
import { serveChannels } from '#core/serve.ts';
import { listen } from '#gateway/http/listen.ts';
import { openGateway } from '#gateway/open-gateway.ts';
import { toAppError } from '#shared/errors.ts';
import { refusedSwitch } from './command-line.ts';
import { electronHost } from './electron-host.ts';
import { refuseNavigation, refusePermissions } from './fences.ts';
import { handOverPorts } from './hand-over-port.ts';
import { showMenu } from './menu.ts';
import { portChannel } from './port-channel.ts';
import { registerScheme, servePage } from './protocol.ts';
import { mainWindow, openWindow } from './window.ts';
import { windowState } from './window-state.ts';

const { env, platform } = process;
// Before anything else: Chromium opens its debugging port only after this file has run.
if (app.isPackaged) refuseSwitches();

const beside = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const dataFolder = resolve(dataDirFlag(process.argv) ?? defaultDataFolder(platform, env, homedir()));

// Everything in the data folder is for this user alone.
process.umask(0o077);
registerScheme();
// Root, as in containers, can only run Chromium without its sandbox and must say so itself.
if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();
mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
app.setPath('userData', join(dataFolder, 'browser'));

if (app.requestSingleInstanceLock()) run();
else app.quit();

function refuseSwitches(): void {
  const withoutSandbox = process.getuid?.() === 0 || env.APPIMAGE !== undefined;
  const refused = refusedSwitch({ args: process.argv.slice(1), platform, withoutSandbox });
  if (refused === null) return;
  process.stderr.write(`portico: the installed app does not take --${refused}. Start it without.\n`);
  process.exit(2);
}

function run(): void {
  const state = windowState(dataFolder);
  nativeTheme.themeSource = state.get().theme;
  const host = electronHost(state, platform);
  const open = () => openWindow(beside('../preload/preload.cjs'), state);
  refuseNavigation(host);

  const core = app.whenReady().then(() => {
    servePage(session.defaultSession, beside('../renderer'));
    refusePermissions(session.defaultSession);
    showMenu(platform, app.isPackaged);
    // The window first: the core opens while the page loads.
    open();
    return openCore({
      host,
      dataFolder,
      env,
      platform,
      now: Date.now,
      elapsed: () => performance.now(),
      newId: randomUUID,
      fetch,
      openGateway,
      listen,
      openSecrets: () => openSecretService('Portico'),
      sandboxPace: 1,
      workerFile: beside('./database-worker.js'),
      pageWorkerFile: beside('./page-worker.js'),
    });
  });
  handOverPorts(
    core.then((opened) => {
      const serve = serveChannels(opened);
      return (port) => serve(portChannel(port));
    }),
  );
  core.catch((error: unknown) => {
    dialog.showErrorBox('Portico cannot start', toAppError(error).message);
    app.exit(2);
  });

  app.on('second-instance', () => {
    const window = mainWindow();
    if (!window) return void open();
    if (window.isMinimized()) window.restore();
    window.focus();
  });
  app.on('activate', () => {
    if (!mainWindow()) open();
  });
  app.on('window-all-closed', () => {
    if (platform !== 'darwin') app.quit();
  });
  closeBeforeQuit(core);
}

/** What windows have still to say, and answers that are being written, are kept before the program ends. */
function closeBeforeQuit(core: Promise<Core>): void {
  let state: 'running' | 'closing' | 'closed' = 'running';
  app.on('before-quit', (event) => {
    if (state === 'closed') return;
    event.preventDefault();
    if (state === 'closing') return;
    state = 'closing';
    const close = async () => {
      await Promise.race([Promise.all(BrowserWindow.getAllWindows().map(closed)), after(2_000)]);
      await (await core).close();
    };
    void Promise.race([close().catch(() => {}), after(10_000)]).then(() => {
      state = 'closed';
      app.quit();
    });
  });
}

const after = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

/** A page that is closed saves what is waiting in it; one that is torn down with the program has nobody left to tell. */
const closed = (window: BrowserWindow) =>
  new Promise<void>((done) => {
    window.once('closed', done);
    window.hide();
    window.close();
  });
