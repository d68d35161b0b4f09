import { oc } from '@orpc/contract';
import { z } from 'zod';
import { id, rule, timeMs } from '../common/fields.ts';

const folderName = z.string().trim().min(1).max(60);
/** One word or a few; shown as it was first written, compared without case. */
const tag = z
  .string()
  .trim()
  .min(1)
  .max(40)
  .regex(/^[^":,]+$/, rule('tag'));

export const folder = z.object({ id, name: z.string(), conversations: z.int() });

/** Where a conversation is kept and what it is marked with: what a change replaces, and an undo puts back. */
export const placement = z.object({
  id,
  folderId: id.nullable(),
  tags: z.array(tag).max(50),
  pinned: z.boolean(),
  archivedAt: timeMs.nullable(),
  trashedAt: timeMs.nullable(),
});

const change = z.object({
  pinned: z.boolean().optional(),
  archived: z.boolean().optional(),
  trashed: z.boolean().optional(),
  /** Null: out of its folder. */
  folderId: id.nullish(),
  addTags: z.array(tag).max(20).optional(),
  removeTags: z.array(tag).max(50).optional(),
});

const ids = z.array(id).min(1).max(10_000);

export const organiseContract = {
  overview: oc.output(
    z.object({
      folders: z.array(folder),
      tags: z.array(z.object({ name: z.string(), conversations: z.int() })),
      archived: z.int(),
      trashed: z.int(),
      /** How long the trash keeps what is in it. */
      trashDays: z.int(),
    }),
  ),
  /** A folder of this name, made if need be. `id` puts back one that was removed. */
  createFolder: oc.input(z.object({ name: folderName, id: id.nullish() })).output(folder),
  renameFolder: oc.input(z.object({ id, name: folderName })).output(folder),
  /** Its conversations stay, without a folder; their ids are the answer. */
  removeFolder: oc.input(z.object({ id })).output(z.object({ name: z.string(), conversationIds: z.array(id) })),
  /** Changes many at once, in one commit. The answer is what `putBack` takes to undo it. Ids that are gone are skipped. */
  change: oc.input(z.object({ ids, change })).output(z.object({ before: z.array(placement) })),
  putBack: oc.input(z.object({ placements: z.array(placement).max(10_000) })).output(z.void()),
  /** Deletes for good what is in the trash, or only those of it that are named. */
  emptyTrash: oc.input(z.object({ ids: ids.nullish() })).output(z.object({ removed: z.int() })),
};

export type Placement = z.infer<typeof placement>;
export type PlacementChange = z.infer<typeof change>;
export type Folder = z.infer<typeof folder>;
