import { implement } from '@orpc/server';
import type { Topic } from '#shared/contract/app/changes.ts';
import type { Conversation } from '#shared/contract/chat/conversations.ts';
import { noProject, type Placement, type Project } from '#shared/contract/chat/organise.ts';
import { contract } from '#shared/contract/index.ts';
import type { FakeData } from './fake-data.ts';

interface ListInput {
  limit: number;
  cursor?: string | null | undefined;
  view: 'active' | 'archived' | 'trash';
  pinned?: boolean | null | undefined;
  folderId?: string | null | undefined;
}

/** Folders, tags, archive, trash and search over the fake's data. */
export function fakeOrganise(
  data: FakeData,
  guard: (method: string) => Promise<void>,
  changed: (...topics: Topic[]) => void,
) {
  const os = implement(contract);
  const getView = (conversation: Conversation) =>
    conversation.trashedAt !== null ? 'trash' : conversation.archived ? 'archived' : ('active' as const);
  const projects = new Map<string, Project>();
  const counted = (folder: { id: string; name: string }) => ({
    ...folder,
    isProject: projects.has(folder.id),
    conversations: data.conversations.filter((conversation) => conversation.folderId === folder.id).length,
  });
  const getPlacement = (conversation: Conversation): Placement => ({
    id: conversation.id,
    folderId: conversation.folderId,
    tags: conversation.tags,
    pinned: conversation.pinned,
    archivedAt: conversation.archived ? 1 : null,
    trashedAt: conversation.trashedAt,
  });

  return {
    list({ limit, cursor, view, pinned, folderId }: ListInput) {
      const matching = data.conversations
        .filter((conversation) => getView(conversation) === view && !conversation.temporary)
        .filter((conversation) => pinned === undefined || pinned === null || conversation.pinned === pinned)
        .filter(
          (conversation) =>
            !folderId || (folderId === 'none' ? conversation.folderId === null : conversation.folderId === folderId),
        );
      const from = Number(cursor ?? 0);
      const next = from + limit < matching.length ? String(from + limit) : null;
      return { conversations: matching.slice(from, from + limit), nextCursor: next };
    },

    organise: {
      overview: os.organise.overview.handler(async () => {
        await guard('organise.overview');
        const tags = new Map<string, number>();
        for (const tag of data.conversations.flatMap((conversation) => conversation.tags))
          tags.set(tag, (tags.get(tag) ?? 0) + 1);
        return {
          folders: data.folders.map(counted),
          tags: [...tags].map(([name, conversations]) => ({ name, conversations })),
          archived: data.conversations.filter((conversation) => getView(conversation) === 'archived').length,
          trashed: data.conversations.filter((conversation) => getView(conversation) === 'trash').length,
          trashDays: 30,
        };
      }),
      createFolder: os.organise.createFolder.handler(async ({ input }) => {
        await guard('organise.createFolder');
        const folder = { id: input.id ?? `folder-${data.folders.length + 1}`, name: input.name };
        data.folders.push(folder);
        if (input.project) projects.set(folder.id, input.project);
        changed('conversations');
        return counted(folder);
      }),
      renameFolder: os.organise.renameFolder.handler(async ({ input }) => {
        await guard('organise.renameFolder');
        const folder = data.folders.find(({ id }) => id === input.id) ?? input;
        folder.name = input.name;
        changed('conversations');
        return counted(folder);
      }),
      project: os.organise.project.handler(async ({ input }) => {
        await guard('organise.project');
        return projects.get(input.id) ?? noProject;
      }),
      setProject: os.organise.setProject.handler(async ({ input }) => {
        await guard('organise.setProject');
        projects.set(input.id, input.project);
        changed('conversations');
      }),
      removeFolder: os.organise.removeFolder.handler(async ({ input }) => {
        await guard('organise.removeFolder');
        const name = data.folders.find((folder) => folder.id === input.id)?.name ?? '';
        data.folders = data.folders.filter((folder) => folder.id !== input.id);
        const inside = data.conversations.filter((conversation) => conversation.folderId === input.id);
        for (const conversation of inside) conversation.folderId = null;
        changed('conversations');
        return {
          name,
          project: projects.get(input.id) ?? noProject,
          conversationIds: inside.map((conversation) => conversation.id),
        };
      }),
      change: os.organise.change.handler(async ({ input: { ids, change } }) => {
        await guard('organise.change');
        const chosen = data.conversations.filter((conversation) => ids.includes(conversation.id));
        const before = chosen.map(getPlacement);
        for (const conversation of chosen) {
          if (change.pinned !== undefined) conversation.pinned = change.pinned;
          if (change.archived !== undefined) conversation.archived = change.archived;
          if (change.trashed !== undefined) conversation.trashedAt = change.trashed ? Date.now() : null;
          if (change.folderId !== undefined) conversation.folderId = change.folderId;
          const remainingTags = conversation.tags.filter((tag) => !change.removeTags?.includes(tag));
          conversation.tags = [...new Set([...remainingTags, ...(change.addTags ?? [])])];
        }
        changed('conversations');
        return { before };
      }),
      putBack: os.organise.putBack.handler(async ({ input }) => {
        await guard('organise.putBack');
        for (const { id, archivedAt, ...placement } of input.placements) {
          const found = data.conversations.find((conversation) => conversation.id === id);
          if (found) Object.assign(found, placement, { archived: archivedAt !== null });
        }
        changed('conversations');
      }),
      emptyTrash: os.organise.emptyTrash.handler(async ({ input }) => {
        await guard('organise.emptyTrash');
        const gone = data.conversations.filter(
          (conversation) => conversation.trashedAt !== null && (!input.ids || input.ids.includes(conversation.id)),
        );
        data.conversations = data.conversations.filter((conversation) => !gone.includes(conversation));
        changed('conversations');
        return { removed: gone.length };
      }),
    },

    search: {
      find: os.search.find.handler(async ({ input }) => {
        await guard('search.find');
        const word = input.query.toLowerCase();
        const split = (text: string) => {
          const index = text.toLowerCase().indexOf(word);
          return [
            { text: text.slice(Math.max(0, index - 40), index), hit: false },
            { text: text.slice(index, index + word.length), hit: true },
            { text: text.slice(index + word.length, index + word.length + 60), hit: false },
          ].filter((run) => run.text !== '');
        };
        const hits = data.conversations.flatMap((conversation) => [
          ...(conversation.title.toLowerCase().includes(word)
            ? [{ conversation, title: split(conversation.title), message: null }]
            : []),
          ...data.messages
            .filter(
              (message) => message.conversationId === conversation.id && message.text.toLowerCase().includes(word),
            )
            .map(({ id, role, createdAt, text }) => ({
              conversation,
              title: [{ text: conversation.title, hit: false }],
              message: { id, role, createdAt, inTool: false, snippet: split(text) },
            })),
        ]);
        return {
          hits,
          nextCursor: null,
          problems: word.startsWith('before:') ? [{ message: 'before: needs a date.' }] : [],
        };
      }),
      inConversation: os.search.inConversation.handler(async ({ input }) => {
        await guard('search.inConversation');
        const matches = data.messages
          .filter((message) => message.conversationId === input.conversationId)
          .map((message) => ({
            messageId: message.id,
            count: message.text.toLowerCase().split(input.text.toLowerCase()).length - 1,
          }))
          .filter((match) => match.count > 0);
        return { matches, total: matches.reduce((sum, match) => sum + match.count, 0) };
      }),
    },
  };
}
