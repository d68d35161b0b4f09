import { eventIterator, oc } from '@orpc/contract';
import { z } from 'zod';
import { id, timeMs } from '../common/fields.ts';

const ids = z.array(id).min(1).max(10_000);
const uploadId = id;
/**
 * What an import leaves out. `long_texts`: their ends are cut. Files are left out if they are incomplete
 * (`damaged_files`), of a type that isn't stored (`refused_files`), or referenced but absent (`missing_files`).
 */
const left = z.enum([
  ...(['tool_steps', 'thoughts', 'files', 'other', 'empty_chats', 'long_texts'] as const),
  ...(['damaged_files', 'refused_files', 'missing_files'] as const),
]);
const leftOut = z.array(z.object({ what: left, count: z.int() }));

/** `portico` has the same text as `json`, with a file extension that the system opens with Portico. */
export const exportFormat = z.enum(['markdown', 'json', 'portico', 'html']);
/** Formats for saving a file: these and PDF. */
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
      /**
       * How many messages the import would add: all of a chat that isn't here yet, or the newer ones of a chat that is.
       */
      newMessages: z.int(),
    }),
  ),
  leftOut,
});

export const transferContract = {
  /** The file in chunks. Markdown and HTML contain the shown branch; JSON contains all branches and the attachments. */
  export: oc.input(z.object({ ids, format: exportFormat })).output(eventIterator(z.object({ text: z.string() }))),
  /**
   * Saves to a path that the user chooses in the system's dialog. Returns the file name, or null if cancelled. The page
   * never names a path. Only if the host has `saveDialog`.
   */
  save: oc
    .input(z.object({ ids, format: savedFormat, name: z.string().min(1).max(300) }))
    .output(z.object({ savedAs: z.string().nullable() })),
  /** Prepares a page for printing, at a path that is served once. Only if the host has no `saveDialog`. */
  preparePrint: oc.input(z.object({ ids })).output(z.object({ path: z.string() })),
  /** Starts an upload. The file is kept separately until it is imported or discarded. */
  beginImport: oc.output(z.object({ uploadId })),
  /** The next bytes in base64. `offset` detects lost or repeated pieces. */
  appendImport: oc
    .input(z.object({ uploadId, offset: z.int().min(0), base64: z.base64().max(1_400_000) }))
    .output(z.object({ received: z.int() })),
  /**
   * Begins an import from a file that the system opened with the app. `fileId` comes from the window's address and
   * works once. Throws `not_found` for any other id, and `import_refused` if the file can't be read.
   */
  openFile: oc.input(z.object({ fileId: id })).output(z.object({ uploadId, name: z.string() })),
  /** Previews the content. An incomplete file, or one of an unknown format, throws `import_refused`. */
  previewImport: oc.input(z.object({ uploadId })).output(importPreview),
  /**
   * Imports these conversations, or all. Conversations that are already here only get their new messages; nothing else
   * of them changes.
   */
  commitImport: oc
    .input(z.object({ uploadId, sourceIds: z.array(z.string().max(200)).max(100_000).nullable() }))
    .output(
      z.object({
        imported: z.int(),
        /** Chats that were already here and got new messages, and how many messages. */
        grown: z.int(),
        newMessages: z.int(),
        alreadyHere: z.int(),
        leftOut,
      }),
    ),
  /**
   * Copies a chat with all its branches. The cost of the answers stays with the original, because nothing was spent
   * twice.
   */
  duplicate: oc.input(z.object({ id })).output(z.object({ id })),
  giveUpImport: oc.input(z.object({ uploadId })).output(z.void()),
};

export type LeftOut = z.infer<typeof left>;
export type ImportPreview = z.infer<typeof importPreview>;
export type ExportFormat = z.infer<typeof exportFormat>;
export type SavedFormat = z.infer<typeof savedFormat>;
