import { BrowserWindow, Menu, nativeTheme, screen } from 'electron';
import type { ActionId } from '#shared/actions/action-list.ts';
import type { ZoomStep } from '#shared/contract/app/app.ts';
import { pageUrl } from '../protocol.ts';
import { overlayColours, titleBarFor, titleBarOptions } from './title-bar.ts';
import { visibleBounds, type WindowStateFile } from './window-state.ts';

/** Below the left end of the top row, where the menu button is. */
const byKeys = { x: 8, y: 44 };

/** Shows the application's menus as one popup, at a position in the window's pixels. */
function showAppMenu(window: BrowserWindow, { x, y } = byKeys): void {
  Menu.getApplicationMenu()?.popup({ window, x: Math.round(x), y: Math.round(y) });
}

/** Opens the menu on the keys that open a menu bar in other programs: F10, and Alt pressed alone. */
function openMenuByKeys(window: BrowserWindow): void {
  const page = window.webContents;
  let altAlone = false;
  page.on('before-input-event', (event, { type, key, control, shift, meta, alt }) => {
    const others = control || shift || meta;
    if (type === 'keyUp' && key === 'Alt' && altAlone) showAppMenu(window);
    altAlone = type === 'keyDown' && key === 'Alt' && !others;
    if (type !== 'keyDown' || key !== 'F10' || others || alt) return;
    event.preventDefault();
    showAppMenu(window);
  });
  // A mouse button means that Alt isn't pressed alone: Alt is held to move windows and open links.
  page.on('input-event', (_, { type }) => {
    if (type === 'mouseDown') altAlone = false;
  });
  window.on('blur', () => {
    altAlone = false;
  });
}

const smallest = { minWidth: 400, minHeight: 480 };

const initial = { width: 1200, height: 800 };

/** The page's background colour, so nothing flashes before its first paint. */
const backgrounds = { dark: '#111113', light: '#ffffff' };

/** The windows with our page. The one that had the focus last is first. */
let opened: readonly BrowserWindow[] = [];

/** An additional window is moved by this much, so it doesn't cover the one before. */
const besidePx = 28;

/** What the pages of our windows may do. */
export const fencedPage = (preload: string): Electron.WebPreferences => ({
  preload,
  sandbox: true,
  contextIsolation: true,
  nodeIntegration: false,
  webviewTag: false,
  spellcheck: true,
});

export const backgroundColor = (): string => (nativeTheme.shouldUseDarkColors ? backgrounds.dark : backgrounds.light);

const titleBar = titleBarFor(process.platform, 'setTitleBarOverlay' in BrowserWindow.prototype);

/** The page's top row is the title bar. */
export const ownTitleBar = titleBar !== 'system';

/** Keeps the system's buttons over our pages in the colours of the theme. */
export function followTheme(): void {
  if (titleBar !== 'overlay') return;
  nativeTheme.on('updated', () => {
    for (const window of opened) window.setTitleBarOverlay(overlayColours(nativeTheme.shouldUseDarkColors));
  });
}

/**
 * Opens a window, which is shown after its first paint. An additional window begins with a new chat, next to the
 * previous one.
 */
export function openWindow(preload: string, state: WindowStateFile): BrowserWindow {
  const { bounds, maximized, fullScreen } = state.get();
  const areas = screen.getAllDisplays().map((display) => display.workArea);
  const before = mainWindow()?.getNormalBounds();
  const wanted = before ? { ...before, x: before.x + besidePx, y: before.y + besidePx } : bounds;
  const window = new BrowserWindow({
    ...initial,
    ...visibleBounds(wanted, areas),
    ...smallest,
    show: false,
    backgroundColor: backgroundColor(),
    ...titleBarOptions(titleBar, nativeTheme.shouldUseDarkColors),
    webPreferences: fencedPage(preload),
  });
  opened = [window, ...opened];
  if (titleBar === 'overlay') openMenuByKeys(window);
  window.on('focus', () => {
    opened = [window, ...opened.filter((other) => other !== window)];
  });
  window.once('closed', () => {
    opened = opened.filter((other) => other !== window);
  });
  window.once('ready-to-show', () => {
    if (maximized && !before) window.maximize();
    window.show();
    if (fullScreen && !before) window.setFullScreen(true);
  });
  // Systems differ in whether a full-screen window is also maximised, so the state before full screen is kept.
  window.on('close', () => {
    const full = window.isFullScreen();
    const place = full ? {} : { maximized: window.isMaximized() };
    state.set({ ...place, bounds: window.getNormalBounds(), fullScreen: full });
  });
  void window.loadURL(before ? `${pageUrl}#chat` : pageUrl);
  return window;
}

/** Runs an action in our page that was chosen in a menu. */
export function runInPage(action: ActionId): void {
  mainWindow()?.webContents.mainFrame.postMessage('portico:action', action);
}

/**
 * Shows a location of the app, which is the same document at another hash. A page that is still loading goes there
 * afterwards.
 */
export function goTo(hash: string): void {
  const page = mainWindow()?.webContents;
  if (!page) return;
  const go = () => void page.loadURL(`${pageUrl}${hash}`);
  if (page.isLoadingMainFrame()) page.once('did-finish-load', go);
  else go();
}

const zoomLimit = 4;

export function zoomWindow(to: ZoomStep): void {
  const page = (BrowserWindow.getFocusedWindow() ?? mainWindow())?.webContents;
  if (!page) return;
  const level = { in: page.zoomLevel + 0.5, out: page.zoomLevel - 0.5, reset: 0 }[to];
  page.zoomLevel = Math.max(-zoomLimit, Math.min(zoomLimit, level));
}

/** Shows the menus below a position in the page, in the page's pixels. */
export function showMenuAt(x: number, y: number): void {
  const window = mainWindow();
  const zoom = window?.webContents.zoomFactor ?? 1;
  if (window) showAppMenu(window, { x: x * zoom, y: y * zoom });
}

/** The window with our page that had the focus last. Neither the print window nor the quick window counts. */
export const mainWindow = (): BrowserWindow | undefined => opened[0];

export const countWindows = (): number => opened.length;
