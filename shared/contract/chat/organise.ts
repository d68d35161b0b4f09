import { oc } from '@orpc/contract';
import { z } from 'zod';
import { attachments } from '../common/attachments.ts';
import { id, modelId, rule, timeMs } from '../common/fields.ts';

const folderName = z.string().trim().min(1).max(60);
/** A tag of one or more words; shown as first written, compared ignoring case. */
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
  /** Its chats have instructions, a model or files in common. */
  isProject: z.boolean(),
});

/** What all chats of a folder have in common. */
export const project = z.object({
  /** Goes before the chat’s own system prompt. */
  instructions: z.string().max(100_000),
  /** Of new chats; null: the usual one. */
  model: modelId.nullable(),
  /** Every chat knows these. */
  attachments: attachments,
});

/** The placement and marks of a conversation: what a change replaces and Undo restores. */
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
  /** Null: removes it from its folder. */
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
      /** Days until trash is deleted. */
      trashDays: z.int(),
    }),
  ),
  /** Creates a folder, or returns the one of this name. `id` restores a deleted one, `project` what it had. */
  createFolder: oc.input(z.object({ name: folderName, id: id.nullish(), project: project.nullish() })).output(folder),
  renameFolder: oc.input(z.object({ id, name: folderName })).output(folder),
  project: oc.input(z.object({ id })).output(project),
  /** Files must have been uploaded. Chats that are being answered take it from their next message on. */
  setProject: oc.input(z.object({ id, project })).output(z.void()),
  /** Deletes the folder; its conversations stay. Returns what restores it. */
  removeFolder: oc
    .input(z.object({ id }))
    .output(z.object({ name: z.string(), project, conversationIds: z.array(id) })),
  /** Changes many in one commit. Returns what `putBack` needs to undo it. Unknown ids are skipped. */
  change: oc.input(z.object({ ids, change })).output(z.object({ before: z.array(placement) })),
  putBack: oc.input(z.object({ placements: z.array(placement).max(10_000) })).output(z.void()),
  /** Permanently deletes what is in the trash, or these conversations of it. */
  emptyTrash: oc.input(z.object({ ids: ids.nullish() })).output(z.object({ removed: z.int() })),
};

export type Placement = z.infer<typeof placement>;
export type PlacementChange = z.infer<typeof change>;
export type Folder = z.infer<typeof folder>;
export type Project = z.infer<typeof project>;

export const noProject: Project = { instructions: '', model: null, attachments: [] };
