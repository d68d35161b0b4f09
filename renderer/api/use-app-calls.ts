import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { MenuPlace } from '#shared/contract/app/app.ts';
import type { UpdateState } from '#shared/contract/app/updates.ts';
import { useApi, useOrpc } from './api.ts';
import { useAppInfo } from './use-core.ts';

/** Zooms the window; null where the browser does that itself. */
export function useZoom() {
  const api = useApi();
  const zooms = useAppInfo().data?.capabilities.zoom ?? false;
  if (!zooms) return null;
  return (to: 'in' | 'out' | 'reset') =>
    void api.app.zoom({ to }).catch((error: unknown) => console.warn('The window was not zoomed', error));
}

/** Shows the application’s menus at a place of the page; null where they are elsewhere. */
export function useShowMenu() {
  const api = useApi();
  const shows = useAppInfo().data?.capabilities.appMenu ?? false;
  if (!shows) return null;
  return (at: MenuPlace) =>
    void api.app.showMenu(at).catch((error: unknown) => console.warn('The menus were not shown', error));
}

/** Opens a further window; null where the browser opens tabs. */
export function useOpenWindow() {
  const api = useApi();
  const opens = useAppInfo().data?.capabilities.windows ?? false;
  if (!opens) return null;
  return () => void api.app.openWindow().catch((error: unknown) => console.warn('No window was opened', error));
}

/** What the small window can do with itself. */
export function useQuickWindowCalls() {
  const api = useApi();
  const failed = (error: unknown) => console.warn('The small window stays', error);
  return {
    hide: () => void api.quickWindow.hide().catch(failed),
    continueInMain: (conversationId: string | null) =>
      void api.quickWindow.continueInMain({ conversationId }).catch(failed),
  };
}

export function useQuickWindow() {
  return useQuery(useOrpc().quickWindow.get.queryOptions());
}

/** Takes a shortcut of the whole system, or none. */
export function useSetQuickKeys() {
  const api = useApi();
  const queries = useQueryClient();
  const queryKey = useOrpc().quickWindow.get.queryKey();
  return useMutation({
    mutationFn: (keys: string | null) => api.quickWindow.setKeys({ keys }),
    onSuccess: (set) => queries.setQueryData(queryKey, set),
  });
}

export function useUpdates() {
  return useQuery(useOrpc().updates.get.queryOptions());
}

export function useUpdateCalls() {
  const api = useApi();
  const queries = useQueryClient();
  const queryKey = useOrpc().updates.get.queryKey();
  const onSuccess = (state: UpdateState) => queries.setQueryData(queryKey, state);
  return {
    check: useMutation({ mutationFn: () => api.updates.check(), onSuccess }),
    install: useMutation({ mutationFn: () => api.updates.install(), onSuccess }),
    postpone: useMutation({ mutationFn: () => api.updates.postpone(), onSuccess }),
  };
}

/** Looks for a made-up key in everything that is on disk. */
export function useSecretsTest() {
  const api = useApi();
  return useMutation({ mutationFn: () => api.app.testSecrets() });
}
