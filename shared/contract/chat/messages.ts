import { oc } from '@orpc/contract';
import { z } from 'zod';
import { id } from '../common/fields.ts';

const editText = z.string().max(2_000_000);
/** `<message>:<part>`. */
const part = z.string().min(1).max(200);

/** The tree that a conversation's messages are: which branch is shown, and what is taken off it. */
export const messagesContract = {
  /**
   * Shows the branch through a message, or through its sibling before (-1) or after (1) it; where there is none, through
   * the message itself. Below it goes on as it was last shown.
   */
  show: oc
    .input(z.object({ messageId: id, step: z.union([z.literal(-1), z.literal(0), z.literal(1)]).default(0) }))
    .output(z.object({ messageId: id })),
  /** Takes a message away with all that hangs on it; what is being written there is stopped. */
  remove: oc.input(z.object({ messageId: id })).output(z.object({ deletionId: id, messages: z.int() })),
  /** What the reader has done to the view of a conversation's messages: wordings not sent yet, parts that are open. */
  view: oc
    .input(z.object({ conversationId: id }))
    .output(z.object({ edits: z.array(z.object({ messageId: id, text: editText })), expanded: z.array(part) })),
  /** Keeps another wording of an own message until it is sent; null: it is given up. Answered once it is on disk. */
  keepEdit: oc.input(z.object({ messageId: id, text: editText.nullable() })).output(z.void()),
  keepExpanded: oc.input(z.object({ conversationId: id, expanded: z.array(part).max(300) })).output(z.void()),
  /** Brings back what a removal took, and shows it again if it was shown. */
  restore: oc.input(z.object({ deletionId: id })).output(z.void()),
};
