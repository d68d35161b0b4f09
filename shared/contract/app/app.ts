import { oc } from '@orpc/contract';
import { z } from 'zod';
import { problemText } from '../common/fields.ts';

export const keychainState = z.object({
  state: z.enum(['available', 'unavailable', 'locked']),
  /**
   * The keychain's name, such as "Secret Service" or "macOS Keychain". Null if there is none and secrets are kept only
   * for this session.
   */
  backend: z.string().nullable(),
  /** What is wrong with the keychain and how to fix it; null if nothing is. */
  problem: problemText.nullable(),
});

export const appInfo = z.object({
  version: z.string(),
  platform: z.string(),
  host: z.string(),
  dataFolder: z.string(),
  capabilities: z.object({
    /** The page has to draw the title bar and its draggable region. */
    ownTitleBar: z.boolean(),
    /** The app can keep running in the system tray without a window. */
    tray: z.boolean(),
    /** The app saves files and creates PDFs itself. Without this, the browser downloads and prints. */
    saveDialog: z.boolean(),
    /** The app shows notifications through the system. Without this, the page does if the browser allows it. */
    notifications: z.boolean(),
    /** The app checks spelling. Without this, the browser does. */
    spellCheck: z.boolean(),
    /** The page shows a button that opens the application's menus. */
    appMenu: z.boolean(),
    /** The app zooms its window. Without this, the browser does. */
    zoom: z.boolean(),
    /** The app can update itself. */
    updates: z.boolean(),
    /** A system-wide shortcut opens a small window. */
    quickWindow: z.boolean(),
    /** The app opens additional windows. Without this, the browser opens tabs. */
    windows: z.boolean(),
  }),
  keychain: keychainState,
  /** What this host can't do compared with the installed app. */
  notices: z.array(problemText),
  /** Why the app can't answer and how to fix it; null if it can. */
  problem: problemText.nullable(),
});

export const secretsTest = z.object({
  /** Where the test key was stored. */
  storage: z.enum(['keychain', 'session']),
  backend: z.string().nullable(),
  files: z.int(),
  bytes: z.int(),
  /** Files that contain the test key, and the encoding in which it was found. */
  found: z.array(z.object({ file: z.string(), spelling: z.string() })),
  /** Files that could not be read, so the test can't vouch for them. */
  unread: z.array(z.string()),
  /** The test also made a backup and could search it. */
  backup: z.boolean(),
});

/** In CSS pixels of the page. */
export const menuPlace = z.object({ x: z.number().min(0).max(100_000), y: z.number().min(0).max(100_000) });
export type MenuPlace = z.infer<typeof menuPlace>;

export const zoomStep = z.enum(['in', 'out', 'reset']);
export type ZoomStep = z.infer<typeof zoomStep>;

export const appContract = {
  /** Returns facts about the host and the keychain. */
  info: oc.output(appInfo),
  /** Shows the application's menus at this position. Does nothing without the capability `appMenu`. */
  showMenu: oc.input(menuPlace).output(z.void()),
  /** Zooms the window. Does nothing without the capability `zoom`. */
  zoom: oc.input(z.object({ to: zoomStep })).output(z.void()),
  /** Opens another window. Does nothing without the capability `windows`. */
  openWindow: oc.output(z.void()),
  /**
   * Tests how secrets are stored: saves a made-up key, makes a backup, searches all files of the data folder for the
   * key, then removes both.
   */
  testSecrets: oc.output(secretsTest),
  /** Opens an `https:`, `http:` or `mailto:` link outside the app. Refuses every other scheme with `link_refused`. */
  openLink: oc.input(z.object({ url: z.string().max(8192) })).output(z.void()),
};

export type AppInfo = z.infer<typeof appInfo>;
export type SecretsTest = z.infer<typeof secretsTest>;
