import { useApi } from './api.ts';
import { useAppInfo } from './use-core.ts';

/** Zooms the window; null where the browser does that itself. */
export function useZoom() {
  const api = useApi();
  const zooms = useAppInfo().data?.capabilities.zoom ?? false;
  if (!zooms) return null;
  return (to: 'in' | 'out' | 'reset') =>
    void api.app.zoom({ to }).catch((error: unknown) => console.warn('The window was not zoomed', error));
}
