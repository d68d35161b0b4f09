import { shell } from 'electron';
import { safeUrl } from '#core/runtime/host/link-guard.ts';

/**
 * The only way to open a URL outside the app. The URL is checked here even if it was checked before. Rejects with
 * `link_refused`.
 */
export const openOutside = async (url: string): Promise<void> => shell.openExternal(safeUrl(url));
