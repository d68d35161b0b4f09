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
    /** The app zooms its window; else the browser does. */
    zoom: z.boolean(),
  }),
  keychain: keychainState,
  /** Limitations of this host compared to the installed app. */
  notices: z.array(problemText),
  /** Why the app cannot answer, and the remedy; null if it can. */
  problem: problemText.nullable(),
});

export const zoomStep = z.enum(['in', 'out', 'reset']);
export type ZoomStep = z.infer<typeof zoomStep>;

export const appContract = {
  /** Facts about the host and the keychain. */
  info: oc.output(appInfo),
  /** Zooms the window; nothing without the capability `zoom`. */
  zoom: oc.input(z.object({ to: zoomStep })).output(z.void()),
  /** Opens an `https:`, `http:` or `mailto:` link outside the app. Everything else is refused with `link_refused`. */
  openLink: oc.input(z.object({ url: z.string().max(8192) })).output(z.void()),
};

export type AppInfo = z.infer<typeof appInfo>;
