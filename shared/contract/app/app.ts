import { oc } from '@orpc/contract';
import { z } from 'zod';
import { told } from '../common/fields.ts';

export const keychainState = z.object({
  state: z.enum(['available', 'unavailable', 'locked']),
  /** What holds the keys, as it calls itself: "Secret Service", "macOS Keychain". Null: they are kept for this session only. */
  backend: z.string().nullable(),
  /** What is wrong and what to do; null where all is well. */
  problem: told.nullable(),
});

export const appInfo = z.object({
  version: z.string(),
  platform: z.string(),
  host: z.string(),
  dataFolder: z.string(),
  capabilities: z.object({
    /** The title bar is drawn by the page and needs a draggable region. */
    ownTitleBar: z.boolean(),
    /** Answers go on while no window is open. */
    background: z.boolean(),
    /** Files are saved, and PDFs made, by the program itself; else by the browser's download and print. */
    saveDialog: z.boolean(),
  }),
  keychain: keychainState,
  /** What is weaker in this host than in the installed app, one sentence each. */
  notices: z.array(told),
  /** What keeps the app from answering, and what ends that; null where nothing does. */
  problem: told.nullable(),
});

export const appContract = {
  /** What the renderer runs in, and where secrets are kept. */
  info: oc.output(appInfo),
  /** Opens an `https:`, `http:` or `mailto:` link outside the app. Everything else is refused with `link_refused`. */
  openLink: oc.input(z.object({ url: z.string().max(8192) })).output(z.void()),
};

export type AppInfo = z.infer<typeof appInfo>;
