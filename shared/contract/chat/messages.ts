import { oc } from '@orpc/contract';
import { z } from 'zod';
import { id } from '../common/fields.ts';

const editText = z.string().max(2_000_000);
/** `<message>:<part>`. */
const part = z.string().min(1).max(200);

/** Changes of a conversation's message tree: which branch is shown, and removals. */
export const messagesContract = {
  /**
   * Shows the branch of a message, or of its previous (-1) or next (1) sibling if there is one. Below that message, the
   * branch continues as it was last shown.
   */
  show: oc
    .input(z.object({ messageId: id, step: z.union([z.literal(-1), z.literal(0), z.literal(1)]).default(0) }))
    .output(z.object({ messageId: id })),
  /** Removes a message and all below it; running answers there are stopped. */
  remove: oc.input(z.object({ messageId: id })).output(z.object({ deletionId: id, messages: z.int() })),
  /** The view state of a conversation: unsent edits and expanded parts. */
  view: oc
    .input(z.object({ conversationId: id }))
    .output(z.object({ edits: z.array(z.object({ messageId: id, text: editText })), expanded: z.array(part) })),
  /**
   * Saves an unsent edit of a user's message; null deletes it. Resolves when it is on disk. `known` is the edit that
   * the window last knew (null if none). If another window has saved a different edit since, that one is kept and
   * returned as `other` with the message's own text.
   */
  keepEdit: oc
    .input(z.object({ messageId: id, text: editText.nullable(), known: editText.nullable() }))
    .output(z.object({ other: z.object({ text: editText, message: z.string() }).nullable() })),
  keepExpanded: oc.input(z.object({ conversationId: id, expanded: z.array(part).max(300) })).output(z.void()),
  /** Undoes a removal, and shows the message again if it was shown before. */
  restore: oc.input(z.object({ deletionId: id })).output(z.void()),
};
