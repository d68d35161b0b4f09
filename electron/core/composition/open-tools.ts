import { join } from 'node:path';
import type { Download } from '#gateway/providers/upstream/fetched-files.ts';
import type { Language } from '#shared/language/messages.ts';
import { boundedFetch } from '../app/network/bounded-fetch.ts';
import type { AskPerson } from '../runtime/host/ask-person.ts';
import type { Changes } from '../runtime/streams/change-topics.ts';
import type { Db } from '../storage/database/db.ts';
import type { SecretBox } from '../storage/secrets/secret-box.ts';
import type { SettingsStore } from '../storage/settings/settings-store.ts';
import { builtInTools } from '../tools/built-in/built-in-tools.ts';
import { pageFetcher } from '../tools/built-in/fetch-page.ts';
import { pageReader } from '../tools/built-in/page-reader.ts';
import { openToolbox } from '../tools/built-in/toolbox.ts';
import { toolsFeature } from '../tools/built-in/tools-feature.ts';
import { messageLimits } from '../tools/servers/bounded-messages.ts';
import { connectMcp } from '../tools/servers/mcp-connection.ts';
import { permissionStore } from '../tools/servers/permission-store.ts';
import { searchPath } from '../tools/servers/search-path.ts';
import { serverConsents } from '../tools/servers/server-consents.ts';
import { toolServerStore } from '../tools/servers/tool-server-store.ts';
import { toolServers } from '../tools/servers/tool-servers.ts';

export interface OpenToolsDeps {
  readonly db: Db;
  readonly dataFolder: string;
  readonly ask: AskPerson;
  readonly language: () => Promise<Language>;
  readonly secrets: SecretBox;
  readonly changes: Changes;
  readonly settings: SettingsStore;
  readonly fetch: typeof fetch;
  readonly download: Download;
  readonly pageWorkerFile: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly version: string;
  readonly now: () => number;
  readonly newId: () => string;
}

/** Opens the tools: their settings page, and what an answer uses. */
export function openTools(deps: OpenToolsDeps) {
  const { db, ask, language, secrets, changes, settings, fetch: send, pageWorkerFile, version, now, newId } = deps;
  const permissions = permissionStore(db);
  const path = searchPath(deps);
  const servers = toolServers({
    store: toolServerStore(db),
    consents: serverConsents(join(deps.dataFolder, 'consents.json'), now),
    connect: async (options) =>
      connectMcp({ ...options, searchPath: await path(), version, fetch: boundedFetch(send, messageLimits) }),
    permissions,
    ask,
    language,
    secrets,
    changes,
    now,
    newId,
  });
  const fetchPage = pageFetcher({ download: deps.download, readPage: pageReader(pageWorkerFile) });
  const builtIn = builtInTools({ now, fetchPage });
  const feature = toolsFeature({ builtIn, servers, permissions, store: settings, changes });
  const toolbox = openToolbox({ builtIn, isOn: feature.isOn, servers, permissions, now, newId });
  return { feature, toolbox, restored: servers.restored, close: servers.close };
}
