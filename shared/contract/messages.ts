import { oc } from '@orpc/contract';
import { z } from 'zod';
import { id } from './fields.ts';

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
  /** Brings back what a removal took, and shows it again if it was shown. */
  restore: oc.input(z.object({ deletionId: id })).output(z.void()),
};
