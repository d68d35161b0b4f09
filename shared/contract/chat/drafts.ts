import { oc } from '@orpc/contract';
import { z } from 'zod';
import { attachments } from '../common/attachments.ts';
import { id, modelId } from '../common/fields.ts';

/** A conversation’s id, or the new chat of a window: `new-…`, `quick`; `new` is that of no window. */
export const chatKey = id;

/** An unsent draft. */
export const draft = z.object({
  text: z.string().max(2_000_000),
  attachments,
  /** The model chosen here, if it differs from the conversation’s. */
  model: modelId.nullable(),
  /** The models of a comparison. */
  compare: z.array(modelId).max(4).default([]),
});

/** When a draft was last written; null: there is none. */
const savedAt = z.int().nullable();

export const draftsContract = {
  /** A window whose new chat has no draft yet takes over the last one of a window that is gone. */
  get: oc.input(z.object({ chat: chatKey })).output(draft.extend({ savedAt })),
  /**
   * Replaces the draft; an empty one is deleted. Resolves when it is on disk. With the `savedAt` of the draft that was
   * changed it replaces no other one: what another window has written meanwhile is given back instead, as `other`.
   */
  put: oc
    .input(z.object({ chat: chatKey, draft, savedAt: savedAt.optional() }))
    .output(z.object({ savedAt, other: draft.nullable() })),
};

export type Draft = z.infer<typeof draft>;
