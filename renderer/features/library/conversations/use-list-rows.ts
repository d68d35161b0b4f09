import { text } from '../../../text/shell-text.ts';
import { listRows } from './list-rows.ts';
import { useOpenFolders } from './open-folders.ts';
import { useConversationPages, useFolderContents, useOverview } from './use-organise.ts';

/** The rows of the conversation list, computed on demand, and the query that loads more. */
export function useListRows() {
  const overview = useOverview();
  const pinned = useConversationPages({ view: 'active', pinned: true });
  const recent = useConversationPages({ view: 'active', pinned: false, folderId: 'none' });
  const openFolders = useOpenFolders((state) => state.open);
  const folders = overview.data?.folders ?? [];
  const contents = useFolderContents(folders.map((folder) => folder.id).filter((id) => openFolders.has(id)));
  const rows = () =>
    listRows(
      { pinned: pinned.conversations, folders, contents, openFolders, recent: recent.conversations },
      { pinned: text.pinned, folders: text.folders },
      Date.now(),
    );
  return { rows, recent, loading: recent.isPending || overview.isPending || pinned.isPending };
}
