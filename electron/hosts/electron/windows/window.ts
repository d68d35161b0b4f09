import {
  BrowserWindow,
  type BrowserWindowConstructorOptions,
  Menu,
  nativeTheme,
  screen,
  type TitleBarOverlayOptions,
} from 'electron';
import type { ActionId } from '#shared/actions/action-list.ts';
import type { ZoomStep } from '#shared/contract/app/app.ts';
import { pageUrl } from '../protocol.ts';
import { visibleBounds, type WindowStateFile } from './window-state.ts';

/**
 * `inset`: macOS’s lights in the page’s upper row. `overlay`: the system’s three buttons over its right end. `system`: a bar above
 * the page, with the menus, where this Electron has no overlay for the system.
 */
type TitleBar = 'inset' | 'overlay' | 'system';

/** `canOverlay`: windows have `setTitleBarOverlay`, as on Windows and in newer Electrons on Linux. */
export const titleBarFor = (platform: NodeJS.Platform, canOverlay: boolean): TitleBar =>
  platform === 'darwin' ? 'inset' : canOverlay ? 'overlay' : 'system';

/** Of the page’s uppermost row, in pixels. */
const rowHeight = 44;
/** The page’s `--surface` and `--fg-2`. On Linux the system draws it opaque, whatever is asked for. */
const colours = {
  dark: { color: '#15171b', symbolColor: '#b1b4bb' },
  light: { color: '#ffffff', symbolColor: '#4e535a' },
};

export const overlayColours = (dark: boolean): TitleBarOverlayOptions => ({
  ...(dark ? colours.dark : colours.light),
  height: rowHeight,
});

/** In the middle of that row; by itself the system places them for a lower one. */
const lights = { x: 16, y: 14 };

/** What a window of ours is made with. */
export function titleBarOptions(bar: TitleBar, dark: boolean): BrowserWindowConstructorOptions {
  switch (bar) {
    case 'inset':
      return { titleBarStyle: 'hidden', trafficLightPosition: lights };
    case 'overlay':
      return { titleBarStyle: 'hidden', titleBarOverlay: overlayColours(dark) };
    case 'system':
      return { autoHideMenuBar: true };
  }
}

/** Beneath the upper row’s left end, where its button is. */
const byKeys = { x: 8, y: 44 };

/** Shows the application’s menus as one, at a place in the window’s pixels. */
function showAppMenu(window: BrowserWindow, { x, y } = byKeys): void {
  Menu.getApplicationMenu()?.popup({ window, x: Math.round(x), y: Math.round(y) });
}

/** The keys that open a menu bar where there is one: F10, and Alt that was pressed for itself. */
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
  // Windows are moved and links are opened with Alt held.
  page.on('input-event', (_, { type }) => {
    if (type === 'mouseDown') altAlone = false;
  });
  window.on('blur', () => {
    altAlone = false;
  });
}

const smallest = { minWidth: 400, minHeight: 480 };
const initial = { width: 1200, height: 800 };
/** The page’s background colour, so that nothing flashes before its first paint. */
const backgrounds = { dark: '#111113', light: '#ffffff' };

/** Those that have our page, the one that was looked at last in front. */
let opened: readonly BrowserWindow[] = [];
/** A further window does not cover the one that it was opened from. */
const besidePx = 28;

/** What every window of ours may and may not. */
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

/** The page’s upper row is the title bar. */
export const ownTitleBar = titleBar !== 'system';

/** The system’s buttons over our pages, from now on in the colours of the theme. */
export function followTheme(): void {
  if (titleBar !== 'overlay') return;
  nativeTheme.on('updated', () => {
    for (const window of opened) window.setTitleBarOverlay(overlayColours(nativeTheme.shouldUseDarkColors));
  });
}

/** Opens a window; it is shown after its first paint. A further one begins with a new chat, beside the one before. */
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
  // In full screen, systems differ in whether a window is also maximised: what it was before counts.
  window.on('close', () => {
    const full = window.isFullScreen();
    const place = full ? {} : { maximized: window.isMaximized() };
    state.set({ ...place, bounds: window.getNormalBounds(), fullScreen: full });
  });
  void window.loadURL(before ? `${pageUrl}#chat` : pageUrl);
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
  const page = (BrowserWindow.getFocusedWindow() ?? mainWindow())?.webContents;
  if (!page) return;
  const level = { in: page.zoomLevel + 0.5, out: page.zoomLevel - 0.5, reset: 0 }[to];
  page.zoomLevel = Math.max(-zoomLimit, Math.min(zoomLimit, level));
}

/** Shows the menus below a place of the page, in the page’s pixels. */
export function showMenuAt(x: number, y: number): void {
  const window = mainWindow();
  const zoom = window?.webContents.zoomFactor ?? 1;
  if (window) showAppMenu(window, { x: x * zoom, y: y * zoom });
}

/** The window with our page that was looked at last; not one for printing, nor the small one. */
export const mainWindow = (): BrowserWindow | undefined => opened[0];

export const countWindows = (): number => opened.length;
