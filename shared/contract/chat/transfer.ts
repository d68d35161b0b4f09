import { eventIterator, oc } from '@orpc/contract';
import { z } from 'zod';
import { id, timeMs } from '../common/fields.ts';

const ids = z.array(id).min(1).max(10_000);
const uploadId = id;
/** What of an import stays behind. Files in three kinds: not whole, not kept here, and named without being in it. */
const left = z.enum([
  ...(['tool_steps', 'thoughts', 'files', 'other', 'empty_chats'] as const),
  ...(['damaged_files', 'refused_files', 'missing_files'] as const),
]);
const leftOut = z.array(z.object({ what: left, count: z.int() }));

export const exportFormat = z.enum(['markdown', 'json', 'html']);
/** What can be written to disk: PDF as well. */
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
    }),
  ),
  leftOut,
});

export const transferContract = {
  /** The file in pieces, in order. Markdown and HTML show the branch that is shown; JSON holds all of them, and the files. */
  export: oc.input(z.object({ ids, format: exportFormat })).output(eventIterator(z.object({ text: z.string() }))),
  /**
   * Asks with the system's own dialog where to, and writes the file there; answers with its name, or null where the reader
   * gave up. The page never names a path. Only where the host has `saveDialog`.
   */
  save: oc
    .input(z.object({ ids, format: savedFormat, name: z.string().min(1).max(300) }))
    .output(z.object({ savedAs: z.string().nullable() })),
  /** Chats as a page for the browser to print, at an address that is served once. Only where the host has no `saveDialog`. */
  preparePrint: oc.input(z.object({ ids })).output(z.object({ path: z.string() })),
  /** Begins to receive a file; it is kept apart until it is imported or given up. */
  beginImport: oc.output(z.object({ uploadId })),
  /** The next bytes of the file, in base64; `offset` says where they belong, so that none is lost or doubled. */
  appendImport: oc
    .input(z.object({ uploadId, offset: z.int().min(0), base64: z.base64().max(1_400_000) }))
    .output(z.object({ received: z.int() })),
  /** Reads the file and says what is in it. A file that is not whole or not known is refused with `import_refused`. */
  previewImport: oc.input(z.object({ uploadId })).output(importPreview),
  /** Imports the named conversations, or all. Those that are here already are left alone. */
  commitImport: oc
    .input(z.object({ uploadId, sourceIds: z.array(z.string().max(200)).max(100_000).nullable() }))
    .output(z.object({ imported: z.int(), alreadyHere: z.int(), leftOut })),
  giveUpImport: oc.input(z.object({ uploadId })).output(z.void()),
};

export type LeftOut = z.infer<typeof left>;
export type ImportPreview = z.infer<typeof importPreview>;
export type ExportFormat = z.infer<typeof exportFormat>;
export type SavedFormat = z.infer<typeof savedFormat>;
