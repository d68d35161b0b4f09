import {
  type Folder,
  noProject,
  type Placement,
  type PlacementChange,
  type Project,
} from '#shared/contract/chat/organise.ts';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import { refusal } from '#shared/language/refusals.ts';
import { failureEntry } from '../../runtime/log/log.ts';
import type { CoreContext } from '../../storage/core-context.ts';
import { organiseStore } from './organise-store.ts';
import type { NamedProject, ProjectStore } from './project-store.ts';

const dayMs = 86_400_000;
const trashDays = 30;

export interface OrganiseDeps extends CoreContext {
  readonly projects: Pick<ProjectStore, 'read' | 'write'>;
  /** Throws if a file was not uploaded. */
  readonly verify: (attachments: readonly Attachment[]) => Promise<Attachment[]>;
  /** Stops running answers of a conversation and deletes it. */
  readonly removeConversation: (id: string) => Promise<void>;
}

interface NewFolder {
  readonly name: string;
  readonly id?: string | null | undefined;
  readonly project?: Project | null | undefined;
}

const commonTo = (project: NamedProject | null): Project => {
  const { instructions, model, attachments } = project ?? noProject;
  return { instructions, model, attachments };
};

/** Manages folders, tags, pins, the archive, and a trash that keeps chats for thirty days. */
export function organiseFeature(deps: OrganiseDeps) {
  const { db, projects, verify, changes, readers, removeConversation, now, newId, log } = deps;
  const store = organiseStore(db);

  async function existing(id: string): Promise<Folder> {
    const folder = (await store.folders()).find((candidate) => candidate.id === id);
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

  async function purgeAndLog(): Promise<void> {
    try {
      const removed = await purge();
      if (removed) log({ event: 'trash_purged', removed });
    } catch (error) {
      log({ event: 'trash_purge_failed', ...failureEntry(error) });
    }
  }

  function publishChanged(ids: readonly string[]): void {
    for (const id of ids) readers.publish(id, { type: 'conversation-changed' });
    changes.emit('conversations');
  }

  return {
    async overview() {
      return { folders: await store.folders(), tags: await store.tags(), ...(await store.counts()), trashDays };
    },

    async createFolder({ name, id, project }: NewFolder): Promise<Folder> {
      const known = await store.folderNamed(name);
      if (known) return existing(known.id);
      const folderId = id ?? newId();
      await store.addFolder(folderId, name, now());
      if (project) await projects.write(folderId, { ...project, attachments: await verify(project.attachments) });
      changes.emit('conversations');
      return existing(folderId);
    },

    async renameFolder({ id, name }: { id: string; name: string }): Promise<Folder> {
      await existing(id);
      const namesake = await store.folderNamed(name);
      if (namesake && namesake.id !== id) {
        throw refusal('invalid_input', 'folderNameTaken', { name: namesake.name });
      }
      await store.renameFolder(id, name);
      changes.emit('conversations');
      return existing(id);
    },

    async project({ id }: { id: string }): Promise<Project> {
      await existing(id);
      return commonTo(await projects.read(id));
    },

    async setProject({ id, project }: { id: string; project: Project }): Promise<void> {
      await existing(id);
      await projects.write(id, { ...project, attachments: await verify(project.attachments) });
      changes.emit('conversations', 'options');
    },

    async removeFolder({ id }: { id: string }) {
      const { name } = await existing(id);
      const project = commonTo(await projects.read(id));
      const conversationIds = await store.inFolder(id);
      await store.removeFolder(id);
      changes.emit('conversations');
      return { name, project, conversationIds };
    },

    async change({ ids, change }: { ids: string[]; change: PlacementChange }): Promise<{ before: Placement[] }> {
      if (change.folderId) await existing(change.folderId);
      const before = await store.change(ids, change, now());
      publishChanged(ids);
      return { before };
    },

    async putBack({ placements }: { placements: Placement[] }): Promise<void> {
      await store.putBack(placements);
      publishChanged(placements.map(({ id }) => id));
    },

    async emptyTrash({ ids }: { ids?: string[] | null | undefined }): Promise<{ removed: number }> {
      return { removed: await removeAll(await store.trashed({ ids: ids ?? null })) };
    },

    /**
     * Deletes chats that have been in the trash for too long, once at the start and then daily. Returns a function that
     * stops that.
     */
    keepTrash(): () => void {
      void purgeAndLog();
      const timer = setInterval(() => void purgeAndLog(), dayMs);
      timer.unref();
      return () => clearInterval(timer);
    },
  };
}
