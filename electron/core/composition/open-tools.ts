import type { Download } from '#gateway/providers/upstream/fetched-files.ts';
import type { Language } from '#shared/language/messages.ts';
import { boundedFetch } from '../app/network/bounded-fetch.ts';
import type { AskPerson } from '../runtime/host/ask-person.ts';
import type { CoreContext } from '../storage/core-context.ts';
import type { SecretBox } from '../storage/secrets/secret-box.ts';
import { builtInTools } from '../tools/built-in/built-in-tools.ts';
import { pageFetcher } from '../tools/built-in/fetch-page.ts';
import { pageReader } from '../tools/built-in/page-reader.ts';
import { openToolbox } from '../tools/built-in/toolbox.ts';
import { toolsFeature } from '../tools/built-in/tools-feature.ts';
import { messageLimits } from '../tools/servers/bounded-messages.ts';
import { connectMcp } from '../tools/servers/mcp-connection.ts';
import { permissionStore } from '../tools/servers/permission-store.ts';
import { searchPath } from '../tools/servers/search-path.ts';
import { toolServers } from '../tools/servers/tool-servers.ts';

export interface OpenToolsDeps extends CoreContext {
  readonly ask: AskPerson;
  readonly language: () => Promise<Language>;
  readonly secrets: SecretBox;
  readonly fetch: typeof fetch;
  readonly download: Download;
  readonly pageWorkerFile: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

/** Opens the tools: their settings page, and what an answer uses. */
export function openTools(deps: OpenToolsDeps) {
  const { db, host, fetch: send, pageWorkerFile, now, newId } = deps;
  const permissions = permissionStore(db);
  const path = searchPath(deps);
  const servers = toolServers({
    ...deps,
    connect: async (options) =>
      connectMcp({
        ...options,
        searchPath: await path(),
        version: host.version,
        fetch: boundedFetch(send, messageLimits),
      }),
    permissions,
  });
  const fetchPage = pageFetcher({ download: deps.download, readPage: pageReader(pageWorkerFile) });
  const builtIn = builtInTools({ now, fetchPage });
  const feature = toolsFeature({ ...deps, builtIn, servers, permissions });
  const toolbox = openToolbox({ builtIn, isOn: feature.isOn, servers, permissions, now, newId });
  return { feature, toolbox, restored: servers.restored, close: servers.close };
}
