import type { PlacementChange } from '#shared/contract/chat/organise.ts';
import { newChat, useNav } from '../../../navigation/nav.ts';
import { text } from '../../../text/conversations-text.ts';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { useOrganiseCalls } from './use-organise.ts';

/** Changes chats at once, with a toast that offers Undo. */
export function useAct() {
  const { change, putBack, createFolder, removeFolder, remove } = useOrganiseCalls();
  const { undoable, failed } = useNotify();

  const offerBack = (title: string, undo: () => Promise<unknown>) =>
    undoable(title, () => void undo().catch((error: unknown) => failed(text.undoFailed, error)));

  async function act(ids: readonly string[], wanted: PlacementChange, title: string): Promise<void> {
    if (ids.length === 0) return;
    try {
      const { before } = await change.mutateAsync({ ids: [...ids], change: wanted });
      offerBack(title, () => putBack.mutateAsync({ placements: before }));
    } catch (error) {
      failed(text.failed, error);
    }
  }

  async function dropFolder(id: string): Promise<void> {
    try {
      const { name, project, conversationIds } = await removeFolder.mutateAsync(id);
      offerBack(text.folderRemoved(name), async () => {
        await createFolder.mutateAsync({ name, id, project });
        if (conversationIds.length) await change.mutateAsync({ ids: conversationIds, change: { folderId: id } });
      });
    } catch (error) {
      failed(text.failed, error);
    }
  }

  async function dropTemporary(id: string): Promise<void> {
    try {
      await remove.mutateAsync(id);
      // Navigates only after the removal. Leaving earlier would offer the chat for undo for a minute.
      useNav.getState().go(newChat);
    } catch (error) {
      failed(text.failed, error);
    }
  }

  return { act, dropFolder, dropTemporary };
}

export type Act = readonly [ids: readonly string[], change: PlacementChange, title: string];

/** Changes that need no dialog, with their toasts. */
export const changes = {
  pin: (ids: readonly string[]): Act => [ids, { pinned: true }, text.done.pinned(ids.length)],
  unpin: (ids: readonly string[]): Act => [ids, { pinned: false }, text.done.unpinned(ids.length)],
  archive: (ids: readonly string[]): Act => [ids, { archived: true }, text.done.archived(ids.length)],
  unarchive: (ids: readonly string[]): Act => [ids, { archived: false }, text.done.unarchived(ids.length)],
  trash: (ids: readonly string[]): Act => [ids, { trashed: true }, text.done.trashed(ids.length)],
  restore: (ids: readonly string[]): Act => [ids, { trashed: false }, text.done.restored(ids.length)],
};
