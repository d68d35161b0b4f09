import { oc } from '@orpc/contract';
import { z } from 'zod';
import { id, problemText } from '../common/fields.ts';

export const quickWindow = z.object({
  /** The system-wide shortcut that opens the window, such as `mod+Shift+Space`. Null if it is off. */
  keys: z.string().max(40).nullable(),
  /** Why the shortcut does not work. */
  problem: problemText.nullable(),
});

/** The small window for a quick question. Does nothing without the capability `quickWindow`. */
export const quickWindowContract = {
  get: oc.output(quickWindow),
  /** Sets the shortcut, or removes it. Keys that another program has taken are refused, and the old ones stay. */
  setKeys: oc.input(z.object({ keys: z.string().min(1).max(40).nullable() })).output(quickWindow),
  hide: oc.output(z.void()),
  /** Hides the small window and shows its chat in the main window; null shows a new chat. */
  continueInMain: oc.input(z.object({ conversationId: id.nullable() })).output(z.void()),
};

export type QuickWindow = z.infer<typeof quickWindow>;
