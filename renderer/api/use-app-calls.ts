import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { MenuPlace } from '#shared/contract/app/app.ts';
import type { UpdateState } from '#shared/contract/app/updates.ts';
import { useApi, useOrpc } from './api.ts';
import { useAppInfo } from './use-core.ts';

/** Returns a function that zooms the window; null in a browser, which has its own zoom. */
export function useZoom() {
  const api = useApi();
  const zooms = useAppInfo().data?.capabilities.zoom ?? false;
  if (!zooms) return null;
  return (to: 'in' | 'out' | 'reset') =>
    void api.app.zoom({ to }).catch((error: unknown) => console.warn('The window was not zoomed', error));
}

/** Returns a function that shows the application menu at a point of the page; null if the host can't show it there. */
export function useShowMenu() {
  const api = useApi();
  const shows = useAppInfo().data?.capabilities.appMenu ?? false;
  if (!shows) return null;
  return (place: MenuPlace) =>
    void api.app.showMenu(place).catch((error: unknown) => console.warn('The menus were not shown', error));
}

/** Returns a function that opens another window; null in a browser, which opens tabs. */
export function useOpenWindow() {
  const api = useApi();
  const opens = useAppInfo().data?.capabilities.windows ?? false;
  if (!opens) return null;
  return () => void api.app.openWindow().catch((error: unknown) => console.warn('No window was opened', error));
}

/** Calls of the quick window: it can hide, or continue its chat in the main window. */
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

/** Sets the system-wide shortcut of the quick window; null removes it. */
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

/** Saves a made-up key and searches the app's files for it, to show that no key is stored in plain text. */
export function useSecretsTest() {
  const api = useApi();
  return useMutation({ mutationFn: () => api.app.testSecrets() });
}
