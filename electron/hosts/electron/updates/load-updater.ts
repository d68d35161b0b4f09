import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AppUpdater } from 'electron-updater';
import { refusal } from '#shared/language/refusals.ts';
import type { SignedFeedOptions } from './signed-feed.ts';
import { readFeed } from './update-feed.ts';

/** Loads the updater. It is loaded on first use, because a start doesn't need it. */
export async function loadUpdater(feedFile: string): Promise<AppUpdater> {
  const [{ autoUpdater }, { SignedFeed }] = await Promise.all([import('electron-updater'), import('./signed-feed.ts')]);
  // This file contains the builder's settings, such as the download folder and the publisher of a signed installer.
  autoUpdater.updateConfigPath = feedFile;
  const { url, publicKey } = readFeed(feedFile) ?? {};
  if (!url || !publicKey) throw refusal('internal_error', 'updatesUnsigned');
  const feed: SignedFeedOptions = { provider: 'custom', updateProvider: SignedFeed, url, publicKey };
  autoUpdater.setFeedURL(feed as unknown as Parameters<AppUpdater['setFeedURL']>[0]);
  return autoUpdater;
}

/**
 * Returns the kind of package from which this app was installed. Null for an unpacked folder on Linux, which can't be
 * updated.
 */
export function installedBy(platform: NodeJS.Platform, env: NodeJS.ProcessEnv, resources: string): string | null {
  if (platform !== 'linux') return 'installer';
  if (env.APPIMAGE) return 'AppImage';
  const file = join(resources, 'package-type');
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : null;
}
