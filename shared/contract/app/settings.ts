import { oc } from '@orpc/contract';
import { z } from 'zod';
import { languages } from '../../language/messages.ts';
import { billingAccount, modelId } from '../common/fields.ts';

export const settings = z.object({
  theme: z.enum(['system', 'light', 'dark']),
  language: z.enum(languages),
  density: z.enum(['comfortable', 'compact']),
  /** `enter`: Enter sends, Shift+Enter breaks the line. `mod_enter`: the other way round, with Ctrl or Cmd. */
  sendWith: z.enum(['enter', 'mod_enter']),
  /** Misspelled words are underlined. Browsers do that by their own settings. */
  spellCheck: z.boolean(),
  /** The app stays beside the clock when its last window is closed. */
  keepRunning: z.boolean(),
  /** Newer versions are looked for and downloaded by themselves. */
  checkUpdates: z.boolean(),
  /** When answers have ended while the app is not looked at: nothing, that they have, or with the chat’s title. */
  notifications: z.enum(['off', 'plain', 'titled']),
  /** Default model for new chats. */
  model: modelId,
  /** The wallet that the pages about money show; null: the one that pays for new chats. */
  shownWallet: billingAccount.nullable(),
  /** The first-run card was closed. */
  welcomed: z.boolean(),
  /** Show and confirm the router’s choice before sending. */
  confirmRoute: z.boolean(),
  /** Shortcuts that differ from the default, by action: `mod+Shift+M`. An empty list: none. */
  shortcuts: z.record(z.string().max(40), z.array(z.string().min(1).max(40)).max(8)),
  /** Models at the top of every list of them; those chosen last, newest first. */
  favouriteModels: z.array(modelId).max(100),
  recentModels: z.array(modelId).max(5),
  /** What was run from the palette last, newest first. */
  recentActions: z.array(z.string().max(300)).max(12),
});

export const settingsContract = {
  get: oc.output(settings),
  /** Changes these settings; returns all. */
  update: oc.input(settings.partial()).output(settings),
};

export type Settings = z.infer<typeof settings>;
