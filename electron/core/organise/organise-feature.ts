import type { Folder, Placement, PlacementChange } from '#shared/contract/chat/organise.ts';
import { refusal } from '#shared/language/refusals.ts';
import { failureEntry, type Log } from '../log/log.ts';
import type { Changes } from '../streams/change-topics.ts';
import type { ThreadReaders } from '../streams/thread-readers.ts';
import type { OrganiseStore } from './organise-store.ts';

const dayMs = 86_400_000;
const trashDays = 30;

export interface OrganiseDeps {
  readonly store: OrganiseStore;
  readonly changes: Changes;
  readonly readers: Pick<ThreadReaders, 'publish'>;
  /** Stops running answers of a conversation and deletes it. */
  readonly removeConversation: (id: string) => Promise<void>;
  readonly now: () => number;
  readonly newId: () => string;
  readonly log: Log;
}

/** Folders, tags, pins, archive, and a trash that is kept for thirty days. */
export function organiseFeature({ store, changes, readers, removeConversation, now, newId, log }: OrganiseDeps) {
  async function existing(id: string) {
    const folder = await store.folder(id);
    if (!folder) throw refusal('not_found', 'folderGone');
    return folder;
  }

  async function oneFolder(id: string): Promise<Folder> {
    const folder = (await store.folders()).find((each) => each.id === id);
    if (!folder) throw refusal('not_found', 'folderGone');
    return folder;
  }

  async function removeAll(ids: readonly string[]): Promise<number> {
    for (const id of ids) await removeConversation(id);
    return ids.length;
  }

  /** Deletes what has been in the trash for too long. */
  async function purge(): Promise<number> {
    return removeAll(await store.trashed({ before: now() - trashDays * dayMs }));
  }

  async function purgeAndSay(): Promise<void> {
    try {
      const removed = await purge();
      if (removed) log({ event: 'trash-purged', removed });
    } catch (error) {
      log({ event: 'trash-purge-failed', ...failureEntry(error) });
    }
  }

  function tell(ids: readonly string[]): void {
    for (const id of ids) readers.publish(id, { type: 'conversation-changed' });
    changes.emit('conversations');
  }

  return {
    async overview() {
      return { folders: await store.folders(), tags: await store.tags(), ...(await store.counts()), trashDays };
    },

    async createFolder({ name, id }: { name: string; id?: string | null | undefined }): Promise<Folder> {
      const known = await store.folderNamed(name);
      if (known) return oneFolder(known.id);
      const folderId = id ?? newId();
      await store.addFolder(folderId, name, now());
      changes.emit('conversations');
      return oneFolder(folderId);
    },

    async renameFolder({ id, name }: { id: string; name: string }): Promise<Folder> {
      await existing(id);
      const namesake = await store.folderNamed(name);
      if (namesake && namesake.id !== id) {
        throw refusal('invalid_input', 'folderNameTaken', { name: namesake.name });
      }
      await store.renameFolder(id, name);
      changes.emit('conversations');
      return oneFolder(id);
    },

    async removeFolder({ id }: { id: string }) {
      const { name } = await existing(id);
      const conversationIds = await store.inFolder(id);
      await store.removeFolder(id);
      changes.emit('conversations');
      return { name, conversationIds };
    },

    async change({ ids, change }: { ids: string[]; change: PlacementChange }): Promise<{ before: Placement[] }> {
      if (change.folderId) await existing(change.folderId);
      const before = await store.change(ids, change, now());
      tell(ids);
      return { before };
    },

    async putBack({ placements }: { placements: Placement[] }): Promise<void> {
      await store.putBack(placements);
      tell(placements.map(({ id }) => id));
    },

    async emptyTrash({ ids }: { ids?: string[] | null | undefined }): Promise<{ removed: number }> {
      return { removed: await removeAll(await store.trashed({ ids: ids ?? null })) };
    },

    /** Purges now and daily. Returns a function that stops it. */
    keepTrash(): () => void {
      void purgeAndSay();
      const timer = setInterval(() => void purgeAndSay(), dayMs);
      timer.unref();
      return () => clearInterval(timer);
    },
  };
}
