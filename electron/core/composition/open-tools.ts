import { join } from 'node:path';
import type { Download } from '#gateway/upstream/fetched-files.ts';
import type { Language } from '#shared/language/messages.ts';
import type { Db } from '../db/db.ts';
import type { AskPerson } from '../host/ask-person.ts';
import { boundedFetch } from '../network/bounded-fetch.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import type { Changes } from '../streams/change-topics.ts';
import { messageLimits } from '../tool-servers/bounded-messages.ts';
import { connectMcp } from '../tool-servers/mcp-connection.ts';
import { permissionStore } from '../tool-servers/permission-store.ts';
import { searchPath } from '../tool-servers/search-path.ts';
import { serverConsents } from '../tool-servers/server-consents.ts';
import { toolServerStore } from '../tool-servers/tool-server-store.ts';
import { toolServers } from '../tool-servers/tool-servers.ts';
import { builtInTools } from '../tools/built-in-tools.ts';
import { pageFetcher } from '../tools/fetch-page.ts';
import { pageReader } from '../tools/page-reader.ts';
import { openToolbox } from '../tools/toolbox.ts';
import { toolsFeature } from '../tools/tools-feature.ts';

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

/** The tools: what the window may ask, and what a turn uses. */
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
