import { oc } from '@orpc/contract';
import { z } from 'zod';
import { problemText } from '../common/fields.ts';

export const keychainState = z.object({
  state: z.enum(['available', 'unavailable', 'locked']),
  /** Name of the keychain: "Secret Service", "macOS Keychain". Null: secrets are kept for this session only. */
  backend: z.string().nullable(),
  /** The keychain’s problem and remedy; null if there is none. */
  problem: problemText.nullable(),
});

export const appInfo = z.object({
  version: z.string(),
  platform: z.string(),
  host: z.string(),
  dataFolder: z.string(),
  capabilities: z.object({
    /** The page draws the title bar, with a draggable region. */
    ownTitleBar: z.boolean(),
    /** The app can stay beside the clock without a window. */
    tray: z.boolean(),
    /** The app saves files and makes PDFs itself; else the browser downloads and prints. */
    saveDialog: z.boolean(),
    /** The app notifies by the system; else the page does, where its browser lets it. */
    notifications: z.boolean(),
    /** The app checks the spelling; else the browser does. */
    spellCheck: z.boolean(),
    /** The page has a button for the application’s menus. */
    appMenu: z.boolean(),
    /** The app zooms its window; else the browser does. */
    zoom: z.boolean(),
    /** The app replaces itself by newer versions. */
    updates: z.boolean(),
    /** A shortcut of the system shows a small window. */
    quickWindow: z.boolean(),
    /** The app opens further windows; else the browser opens tabs. */
    windows: z.boolean(),
  }),
  keychain: keychainState,
  /** Limitations of this host compared to the installed app. */
  notices: z.array(problemText),
  /** Why the app cannot answer, and the remedy; null if it can. */
  problem: problemText.nullable(),
});

export const secretsTest = z.object({
  /** Where the made-up key was kept. */
  storage: z.enum(['keychain', 'session']),
  backend: z.string().nullable(),
  files: z.int(),
  bytes: z.int(),
  /** Files that hold it, and how it was written in them. */
  found: z.array(z.object({ file: z.string(), spelling: z.string() })),
  /** Files that could not be read, so that nothing is known of them. */
  unread: z.array(z.string()),
  /** The copy of the data that was made meanwhile could be searched, too. */
  backup: z.boolean(),
});

/** In the page’s pixels. */
export const menuPlace = z.object({ x: z.number().min(0).max(100_000), y: z.number().min(0).max(100_000) });
export type MenuPlace = z.infer<typeof menuPlace>;

export const zoomStep = z.enum(['in', 'out', 'reset']);
export type ZoomStep = z.infer<typeof zoomStep>;

export const appContract = {
  /** Facts about the host and the keychain. */
  info: oc.output(appInfo),
  /** Shows the application’s menus at this place; nothing without the capability `appMenu`. */
  showMenu: oc.input(menuPlace).output(z.void()),
  /** Zooms the window; nothing without the capability `zoom`. */
  zoom: oc.input(z.object({ to: zoomStep })).output(z.void()),
  /** Opens a further window; nothing without the capability `windows`. */
  openWindow: oc.output(z.void()),
  /**
   * Keeps a made-up key as keys are kept, makes a backup, looks for the key in all files of the data folder, and removes
   * both.
   */
  testSecrets: oc.output(secretsTest),
  /** Opens an `https:`, `http:` or `mailto:` link outside the app. Everything else is refused with `link_refused`. */
  openLink: oc.input(z.object({ url: z.string().max(8192) })).output(z.void()),
};

export type AppInfo = z.infer<typeof appInfo>;
export type SecretsTest = z.infer<typeof secretsTest>;
