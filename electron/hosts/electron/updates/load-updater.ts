import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AppUpdater } from 'electron-updater';

/** Loaded when it is first needed: it is no part of a start. */
export async function loadUpdater(feedFile: string): Promise<AppUpdater> {
  const { autoUpdater } = await import('electron-updater');
  autoUpdater.updateConfigPath = feedFile;
  return autoUpdater;
}

/** The kind of package that this copy was installed by. A folder on Linux cannot be replaced. */
export function installedBy(platform: NodeJS.Platform, env: NodeJS.ProcessEnv, resources: string): string | null {
  if (platform !== 'linux') return 'installer';
  if (env.APPIMAGE) return 'AppImage';
  const file = join(resources, 'package-type');
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : null;
}
