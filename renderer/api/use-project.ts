import { skipToken, useMutation, useQuery } from '@tanstack/react-query';
import type { Folder, Project } from '#shared/contract/chat/organise.ts';
import { useApi, useOrpc } from './api.ts';

/** A folder by its id, once folders are read. */
export function useFolder(folderId: string | null): Folder | null {
  const overview = useQuery(useOrpc().organise.overview.queryOptions({ enabled: folderId !== null }));
  return overview.data?.folders.find(({ id }) => id === folderId) ?? null;
}

/** What the chats of a folder have in common. */
export function useProject(folderId: string | null) {
  return useQuery(useOrpc().organise.project.queryOptions({ input: folderId === null ? skipToken : { id: folderId } }));
}

export function useSetProject() {
  const api = useApi();
  return useMutation({ mutationFn: (input: { id: string; project: Project }) => api.organise.setProject(input) });
}
