import { oc } from '@orpc/contract';
import { z } from 'zod';
import { attachments } from '../common/attachments.ts';
import { id, modelId } from '../common/fields.ts';

/** A conversation's id, or the new chat of a window (`new-…`, `quick`). `new` belongs to no window. */
export const chatKey = id;

/** An unsent draft. */
export const draft = z.object({
  text: z.string().max(2_000_000),
  attachments,
  /** The model chosen in this draft, if it differs from the conversation's. */
  model: modelId.nullable(),
  /** The models of a comparison. */
  compare: z.array(modelId).max(4).default([]),
});

/** When the draft was last saved; null if there is none. */
const savedAt = z.int().nullable();

export const draftsContract = {
  /** If the window's new chat has no draft yet, it takes over the latest draft of a window that is gone. */
  get: oc.input(z.object({ chat: chatKey })).output(draft.extend({ savedAt })),
  /**
   * Replaces the draft, or deletes it if empty. Resolves when it is on disk. With `savedAt`, it replaces only the draft
   * saved at that time: if another window has saved a newer one, that one is returned as `other` instead.
   */
  put: oc
    .input(z.object({ chat: chatKey, draft, savedAt: savedAt.optional() }))
    .output(z.object({ savedAt, other: draft.nullable() })),
};

export type Draft = z.infer<typeof draft>;
