import { useInfiniteQuery, useMutation, useQueries, useQuery } from '@tanstack/react-query';
import type { Conversation } from '#shared/contract/conversations.ts';
import type { Placement, PlacementChange } from '#shared/contract/organise.ts';
import { useApi } from '../../lib/api.ts';
import type { ChatsView } from '../../lib/nav.ts';

const pageSize = 200;
const mostInFolder = 300;

export function useOverview() {
  const api = useApi();
  return useQuery({
    queryKey: ['conversations', 'overview'],
    queryFn: ({ signal }) => api.organise.overview(undefined, { signal }),
  });
}

export interface ListFilter {
  readonly view: ChatsView;
  readonly pinned?: boolean;
  /** `none`: those in no folder. */
  readonly folderId?: string;
}

/** Conversations page by page, newest first. */
export function useConversationPages(filter: ListFilter) {
  const api = useApi();
  const query = useInfiniteQuery({
    queryKey: ['conversations', 'pages', filter],
    queryFn: ({ pageParam, signal }) =>
      api.conversations.list({ ...filter, limit: pageSize, cursor: pageParam }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  });
  const conversations = query.data?.pages.flatMap((page) => page.conversations) ?? [];
  return { ...query, conversations };
}

/** What is in each of these folders; `more`: not all of it. */
export function useFolderContents(folderIds: readonly string[]) {
  const api = useApi();
  return useQueries({
    queries: folderIds.map((folderId) => ({
      queryKey: ['conversations', 'folder', folderId],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        api.conversations.list({ folderId, pinned: false, limit: mostInFolder }, { signal }),
    })),
    combine: (results) =>
      new Map<string, { conversations: readonly Conversation[]; more: boolean }>(
        results.flatMap(({ data }, at) => {
          const id = folderIds[at];
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
      mutationFn: (input: { name: string; id?: string }) => api.organise.createFolder(input),
    }),
    renameFolder: useMutation({
      mutationFn: (input: { id: string; name: string }) => api.organise.renameFolder(input),
    }),
    removeFolder: useMutation({ mutationFn: (id: string) => api.organise.removeFolder({ id }) }),
    emptyTrash: useMutation({ mutationFn: (ids: string[] | null) => api.organise.emptyTrash({ ids }) }),
    rename: useMutation({
      mutationFn: (input: { id: string; title: string }) => api.conversations.rename(input),
    }),
  };
}
