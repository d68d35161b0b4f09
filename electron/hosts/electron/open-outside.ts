import { shell } from 'electron';
import { safeUrl } from '#core/host/link-guard.ts';

/** The one way to the system's programs. Every address is checked here, whoever has checked it before. Rejects with `link_refused`. */
export const openOutside = async (url: string): Promise<void> => shell.openExternal(safeUrl(url));
