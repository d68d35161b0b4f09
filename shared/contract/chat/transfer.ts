import { eventIterator, oc } from '@orpc/contract';
import { z } from 'zod';
import { id, timeMs } from '../common/fields.ts';

const ids = z.array(id).min(1).max(10_000);
const uploadId = id;
/** What is not imported. Long texts: their ends. Files: incomplete, of a type that is not stored, or referenced but missing. */
const left = z.enum([
  ...(['tool_steps', 'thoughts', 'files', 'other', 'empty_chats', 'long_texts'] as const),
  ...(['damaged_files', 'refused_files', 'missing_files'] as const),
]);
const leftOut = z.array(z.object({ what: left, count: z.int() }));

/** `portico` is the same text as `json`, for a file that the system opens with Portico. */
export const exportFormat = z.enum(['markdown', 'json', 'portico', 'html']);
/** Formats for saving: PDF too. */
export const savedFormat = z.enum([...exportFormat.options, 'pdf']);

export const importPreview = z.object({
  source: z.enum(['portico', 'chatgpt', 'claude']),
  conversations: z.array(
    z.object({
      sourceId: z.string(),
      title: z.string(),
      messages: z.int(),
      createdAt: timeMs,
      alreadyHere: z.boolean(),
      /** Messages that would be added: all of a chat that is not here, and what one that is here has grown by since. */
      newMessages: z.int(),
    }),
  ),
  leftOut,
});

export const transferContract = {
  /** The file in chunks. Markdown and HTML have the shown branch; JSON has all branches, and the attachments. */
  export: oc.input(z.object({ ids, format: exportFormat })).output(eventIterator(z.object({ text: z.string() }))),
  /**
   * Saves to a path chosen in the system’s dialog; returns the file name, or null if cancelled. The page never names a
   * path. Only if the host has `saveDialog`.
   */
  save: oc
    .input(z.object({ ids, format: savedFormat, name: z.string().min(1).max(300) }))
    .output(z.object({ savedAs: z.string().nullable() })),
  /** Prepares a page to print, at a path that is served once. Only if the host has no `saveDialog`. */
  preparePrint: oc.input(z.object({ ids })).output(z.object({ path: z.string() })),
  /** Starts an upload; the file is kept apart until imported or discarded. */
  beginImport: oc.output(z.object({ uploadId })),
  /** The next bytes in base64; `offset` detects lost or repeated pieces. */
  appendImport: oc
    .input(z.object({ uploadId, offset: z.int().min(0), base64: z.base64().max(1_400_000) }))
    .output(z.object({ received: z.int() })),
  /**
   * Begins an import from a file that the system opened with the app; `fileId` is the one of the window’s address, and good once. Throws
   * `not_found` for another, and `import_refused` for what cannot be read.
   */
  openFile: oc.input(z.object({ fileId: id })).output(z.object({ uploadId, name: z.string() })),
  /** Previews the content. An incomplete or unknown file throws `import_refused`. */
  previewImport: oc.input(z.object({ uploadId })).output(importPreview),
  /** Imports these conversations, or all. To those that are here what is new is added; all else of them stays. */
  commitImport: oc
    .input(z.object({ uploadId, sourceIds: z.array(z.string().max(200)).max(100_000).nullable() }))
    .output(
      z.object({
        imported: z.int(),
        /** Chats that were here and have grown, and by how many messages. */
        grown: z.int(),
        newMessages: z.int(),
        alreadyHere: z.int(),
        leftOut,
      }),
    ),
  /** A second chat with all branches of this one. What its answers cost stays with the first: nothing was spent twice. */
  duplicate: oc.input(z.object({ id })).output(z.object({ id })),
  giveUpImport: oc.input(z.object({ uploadId })).output(z.void()),
};

export type LeftOut = z.infer<typeof left>;
export type ImportPreview = z.infer<typeof importPreview>;
export type ExportFormat = z.infer<typeof exportFormat>;
export type SavedFormat = z.infer<typeof savedFormat>;
