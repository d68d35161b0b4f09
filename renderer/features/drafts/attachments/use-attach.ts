import type { Attachment } from '#shared/contract/common/attachments.ts';
import { draftKey, useDrafts } from '../drafts-store.ts';
import { withFile } from './attached-files.ts';
import { useUploads } from './use-uploads.ts';

/** Adds files to the draft of a chat. */
export function useAttach(conversationId: string | null) {
  const key = draftKey(conversationId);
  const { setFiles } = useDrafts.getState();
  const { take, ...uploads } = useUploads((attachment) => setFiles(key, (files) => withFile(files, attachment)));
  return {
    ...uploads,
    /** Returns those that were added. */
    attach: (files: readonly File[]): Promise<Attachment[]> =>
      take(files, useDrafts.getState().files[key]?.length ?? 0),
  };
}
