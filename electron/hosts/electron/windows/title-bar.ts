import type { BrowserWindowConstructorOptions, TitleBarOverlayOptions } from 'electron';

/**
 * `inset`: macOS’s lights in the page’s upper row. `overlay`: the system’s three buttons over its right end. `system`: a bar above
 * the page, with the menus, where this Electron has no overlay for the system.
 */
export type TitleBar = 'inset' | 'overlay' | 'system';

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
