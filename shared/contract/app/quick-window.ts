import { oc } from '@orpc/contract';
import { z } from 'zod';
import { id, problemText } from '../common/fields.ts';

export const quickWindow = z.object({
  /** The shortcut that shows it from everywhere, such as `mod+Shift+Space`; null: it is off. */
  keys: z.string().max(40).nullable(),
  /** Why the shortcut does not work. */
  problem: problemText.nullable(),
});

/** The small window for a question from anywhere; nothing without the capability `quickWindow`. */
export const quickWindowContract = {
  get: oc.output(quickWindow),
  /** Takes the shortcut from now on, or none. Keys that another program has are refused, and the old ones stay. */
  setKeys: oc.input(z.object({ keys: z.string().min(1).max(40).nullable() })).output(quickWindow),
  hide: oc.output(z.void()),
  /** Hides it and shows its chat in the main window; null: a new one. */
  continueInMain: oc.input(z.object({ conversationId: id.nullable() })).output(z.void()),
};

export type QuickWindow = z.infer<typeof quickWindow>;
