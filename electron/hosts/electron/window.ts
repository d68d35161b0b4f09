import { BrowserWindow, nativeTheme, screen } from 'electron';
import type { ActionId } from '#shared/actions/action-list.ts';
import type { ZoomStep } from '#shared/contract/app/app.ts';
import { pageUrl } from './protocol.ts';
import { visibleBounds, type WindowStateFile } from './window-state.ts';

const smallest = { minWidth: 400, minHeight: 480 };
const initial = { width: 1200, height: 800 };
/** The page’s background colour, so that nothing flashes before its first paint. */
const backgrounds = { dark: '#111113', light: '#ffffff' };

const opened = new WeakSet<BrowserWindow>();

/** Opens the window; it is shown after its first paint. */
export function openWindow(preload: string, state: WindowStateFile): BrowserWindow {
  const { bounds, maximized, fullScreen } = state.get();
  const areas = screen.getAllDisplays().map((display) => display.workArea);
  const window = new BrowserWindow({
    ...initial,
    ...visibleBounds(bounds, areas),
    ...smallest,
    show: false,
    autoHideMenuBar: true,
    backgroundColor: nativeTheme.shouldUseDarkColors ? backgrounds.dark : backgrounds.light,
    ...(process.platform === 'darwin' ? { titleBarStyle: 'hiddenInset' as const } : {}),
    webPreferences: {
      preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      spellcheck: true,
    },
  });
  opened.add(window);
  window.once('ready-to-show', () => {
    if (maximized) window.maximize();
    window.show();
    if (fullScreen) window.setFullScreen(true);
  });
  // In full screen, systems differ in whether a window is also maximised: what it was before counts.
  window.on('close', () => {
    const full = window.isFullScreen();
    const place = full ? {} : { maximized: window.isMaximized() };
    state.set({ ...place, bounds: window.getNormalBounds(), fullScreen: full });
  });
  void window.loadURL(pageUrl);
  return window;
}

/** Tells our page to do what was chosen in a menu. */
export function runInPage(action: ActionId): void {
  mainWindow()?.webContents.mainFrame.postMessage('portico:action', action);
}

/** Shows a location of the app: the same document at another fragment. A page that is still loading goes there afterwards. */
export function goTo(hash: string): void {
  const page = mainWindow()?.webContents;
  if (!page) return;
  const go = () => void page.loadURL(`${pageUrl}${hash}`);
  if (page.isLoadingMainFrame()) page.once('did-finish-load', go);
  else go();
}

const zoomLimit = 4;

export function zoomWindow(to: ZoomStep): void {
  const page = mainWindow()?.webContents;
  if (!page) return;
  const level = { in: page.zoomLevel + 0.5, out: page.zoomLevel - 0.5, reset: 0 }[to];
  page.zoomLevel = Math.max(-zoomLimit, Math.min(zoomLimit, level));
}

/** The window with our page, not one for printing. */
export const mainWindow = (): BrowserWindow | undefined =>
  BrowserWindow.getAllWindows().find((window) => opened.has(window));
