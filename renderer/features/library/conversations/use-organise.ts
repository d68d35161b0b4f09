import { useInfiniteQuery, useMutation, useQueries, useQuery } from '@tanstack/react-query';
import type { Conversation } from '#shared/contract/chat/conversations.ts';
import type { Placement, PlacementChange, Project } from '#shared/contract/chat/organise.ts';
import { useApi, useOrpc } from '../../../api/api.ts';
import type { ChatsView } from '../../../navigation/nav.ts';
import { text } from '../../../text/conversations-text.ts';
import { useNotify } from '../../../ui/notices/use-notify.ts';

const pageSize = 200;
const maxInFolder = 300;

export function useOverview() {
  return useQuery(useOrpc().organise.overview.queryOptions());
}

export interface ListFilter {
  readonly view: ChatsView;
  readonly pinned?: boolean;
  /** `none` means conversations in no folder. */
  readonly folderId?: string;
}

/** Conversations, newest first, paginated. */
export function useConversationPages(filter: ListFilter) {
  const query = useInfiniteQuery(
    useOrpc().conversations.list.infiniteOptions({
      input: (cursor: string | null) => ({ ...filter, limit: pageSize, cursor }),
      initialPageParam: null as string | null,
      getNextPageParam: (page) => page.nextCursor,
    }),
  );
  const conversations = query.data?.pages.flatMap((page) => page.conversations) ?? [];
  return { ...query, conversations };
}

/** The conversations of these folders. `more` is true if there are further ones. */
export function useFolderContents(folderIds: readonly string[]) {
  const { list } = useOrpc().conversations;
  return useQueries({
    queries: folderIds.map((folderId) => list.queryOptions({ input: { folderId, pinned: false, limit: maxInFolder } })),
    combine: (results) =>
      new Map<string, { conversations: readonly Conversation[]; more: boolean }>(
        results.flatMap(({ data }, index) => {
          const id = folderIds[index];
          return data && id ? [[id, { conversations: data.conversations, more: data.nextCursor !== null }]] : [];
        }),
      ),
  });
}

export function useOrganiseCalls() {
  const api = useApi();
  return {
    change: useMutation({
      mutationFn: (input: { ids: string[]; change: PlacementChange }) => api.organise.change(input),
    }),
    putBack: useMutation({ mutationFn: (input: { placements: Placement[] }) => api.organise.putBack(input) }),
    createFolder: useMutation({
      mutationFn: (input: { name: string; id?: string; project?: Project }) => api.organise.createFolder(input),
    }),
    renameFolder: useMutation({
      mutationFn: (input: { id: string; name: string }) => api.organise.renameFolder(input),
    }),
    removeFolder: useMutation({ mutationFn: (id: string) => api.organise.removeFolder({ id }) }),
    emptyTrash: useMutation({ mutationFn: (ids: string[] | null) => api.organise.emptyTrash({ ids }) }),
    remove: useMutation({ mutationFn: (id: string) => api.conversations.remove({ id }) }),
    rename: useMutation({
      mutationFn: (input: { id: string; title: string }) => api.conversations.rename(input),
    }),
  };
}

/** Turns a temporary chat into a saved one. */
export function useKeepChat() {
  const api = useApi();
  const { inform, failed } = useNotify();
  return (id: string) =>
    void api.conversations.keep({ id }).then(
      () => inform(text.kept),
      (error: unknown) => failed(text.failed, error),
    );
}
