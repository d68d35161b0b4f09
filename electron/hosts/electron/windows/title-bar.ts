import type { BrowserWindowConstructorOptions, TitleBarOverlayOptions } from 'electron';

/**
 * `inset`: macOS's window buttons are inside the page's top row. `overlay`: the system's three buttons are over its
 * right end. `system`: a bar above the page contains the menus, because this Electron can't draw an overlay on this
 * system.
 */
export type TitleBar = 'inset' | 'overlay' | 'system';

/** `canOverlay`: windows have `setTitleBarOverlay`, as on Windows and in newer Electron versions on Linux. */
export const titleBarFor = (platform: NodeJS.Platform, canOverlay: boolean): TitleBar =>
  platform === 'darwin' ? 'inset' : canOverlay ? 'overlay' : 'system';

/** The height of the page's top row, in pixels. */
const rowHeight = 44;

/** The page's `--surface` and `--fg-2`. Linux draws the overlay opaque, whatever colour is set. */
const colours = {
  dark: { color: '#15171b', symbolColor: '#b1b4bb' },
  light: { color: '#ffffff', symbolColor: '#4e535a' },
};

export const overlayColours = (dark: boolean): TitleBarOverlayOptions => ({
  ...(dark ? colours.dark : colours.light),
  height: rowHeight,
});

/** Centres the buttons in that row. By default, macOS positions them for a lower one. */
const lights = { x: 16, y: 14 };

/** Returns the options for a window with this title bar. */
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
