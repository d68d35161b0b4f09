import { oc } from '@orpc/contract';
import { z } from 'zod';
import { attachments } from '../common/attachments.ts';
import { id, modelId, rule, timeMs } from '../common/fields.ts';

const folderName = z.string().trim().min(1).max(60);
/** A tag of one or more words. It is shown as first written and compared ignoring case. */
const tag = z
  .string()
  .trim()
  .min(1)
  .max(40)
  .regex(/^[^":,]+$/, rule('tag'));

export const folder = z.object({
  id,
  name: z.string(),
  conversations: z.int(),
  /** The folder's chats share instructions, a model or files. */
  isProject: z.boolean(),
});

/** What all chats of a folder share. */
export const project = z.object({
  /** Precedes the chat's own system prompt. */
  instructions: z.string().max(100_000),
  /** The model of new chats. Null uses the default model. */
  model: modelId.nullable(),
  /** Files that every chat of the folder can use. */
  attachments: attachments,
});

/** The folder and marks of a conversation: what a change replaces and Undo restores. */
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
  /** Null removes the conversation from its folder. */
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
      /** Days until conversations in the trash are deleted. */
      trashDays: z.int(),
    }),
  ),
  /** Creates a folder, or returns the existing one of this name. `id` and `project` restore a deleted folder. */
  createFolder: oc.input(z.object({ name: folderName, id: id.nullish(), project: project.nullish() })).output(folder),
  renameFolder: oc.input(z.object({ id, name: folderName })).output(folder),
  project: oc.input(z.object({ id })).output(project),
  /**
   * The files must have been uploaded before. Chats with a running answer use the change from their next message on.
   */
  setProject: oc.input(z.object({ id, project })).output(z.void()),
  /** Deletes the folder; its conversations stay. Returns what is needed to restore it. */
  removeFolder: oc
    .input(z.object({ id }))
    .output(z.object({ name: z.string(), project, conversationIds: z.array(id) })),
  /**
   * Changes many conversations in one transaction. Returns what `putBack` needs to undo it. Unknown ids are skipped.
   */
  change: oc.input(z.object({ ids, change })).output(z.object({ before: z.array(placement) })),
  putBack: oc.input(z.object({ placements: z.array(placement).max(10_000) })).output(z.void()),
  /** Permanently deletes the trash, or only these conversations in it. */
  emptyTrash: oc.input(z.object({ ids: ids.nullish() })).output(z.object({ removed: z.int() })),
};

export type Placement = z.infer<typeof placement>;
export type PlacementChange = z.infer<typeof change>;
export type Folder = z.infer<typeof folder>;
export type Project = z.infer<typeof project>;

export const noProject: Project = { instructions: '', model: null, attachments: [] };
