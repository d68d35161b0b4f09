import { oc } from '@orpc/contract';
import { z } from 'zod';
import { languages } from '../../language/messages.ts';
import { billingAccount, modelId } from '../common/fields.ts';

export const settings = z.object({
  theme: z.enum(['system', 'light', 'dark']),
  language: z.enum(languages),
  density: z.enum(['comfortable', 'compact']),
  /**
   * `enter`: Enter sends and Shift+Enter starts a new line. `mod_enter`: Ctrl+Enter or Cmd+Enter sends and Enter starts
   * a new line.
   */
  sendWith: z.enum(['enter', 'mod_enter']),
  /** Underline misspelled words. In a browser, the browser's own setting decides. */
  spellCheck: z.boolean(),
  /** Keep the app in the system tray after its last window is closed. */
  keepRunning: z.boolean(),
  /** Check for newer versions and download them automatically. */
  checkUpdates: z.boolean(),
  /**
   * What to notify about when an answer finishes while the app isn't in focus: nothing (`off`), that it has finished
   * (`plain`), or the chat's title too (`titled`).
   */
  notifications: z.enum(['off', 'plain', 'titled']),
  /** The default model for new chats. */
  model: modelId,
  /** The billing account that the money pages show. Null shows the one that pays for new chats. */
  shownWallet: billingAccount.nullable(),
  /** The user has closed the first-run card. */
  welcomed: z.boolean(),
  /** Show the router's choice and ask for confirmation before sending. */
  confirmRoute: z.boolean(),
  /**
   * Shortcuts that differ from the defaults, by action, such as `mod+Shift+M`. An empty list turns the shortcut off.
   */
  shortcuts: z.record(z.string().max(40), z.array(z.string().min(1).max(40)).max(8)),
  /** Favourites are at the top of every list of models; recent models are the last chosen ones, newest first. */
  favouriteModels: z.array(modelId).max(100),
  recentModels: z.array(modelId).max(5),
  /** Palette actions that were last run, newest first. */
  recentActions: z.array(z.string().max(300)).max(12),
});

export const settingsContract = {
  get: oc.output(settings),
  /** Changes the given settings and returns all. */
  update: oc.input(settings.partial()).output(settings),
};

export type Settings = z.infer<typeof settings>;
