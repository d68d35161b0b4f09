import { skipToken, useMutation, useQuery } from '@tanstack/react-query';
import type { Folder, Project } from '#shared/contract/chat/organise.ts';
import { useApi, useOrpc } from './api.ts';

/** Returns the folder with this id, or null until the folders are loaded. */
export function useFolder(folderId: string | null): Folder | null {
  const overview = useQuery(useOrpc().organise.overview.queryOptions({ enabled: folderId !== null }));
  return overview.data?.folders.find(({ id }) => id === folderId) ?? null;
}

/** The settings that all chats of a folder share. */
export function useProject(folderId: string | null) {
  return useQuery(useOrpc().organise.project.queryOptions({ input: folderId === null ? skipToken : { id: folderId } }));
}

export function useSetProject() {
  const api = useApi();
  return useMutation({ mutationFn: (input: { id: string; project: Project }) => api.organise.setProject(input) });
}
