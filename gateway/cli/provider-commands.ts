import { type KnownProvider, knownProviders } from '#shared/known-providers.ts';
import { findLocalServers } from '../providers/local-servers.ts';
import type { Output } from './command-input.ts';

/** Which providers there are. */
export async function listProviders(): Promise<Output> {
  const all: readonly KnownProvider[] = knownProviders;
  return {
    lines: all.map(({ id, name, baseUrl, ownServer, env }) =>
      [id, name, ownServer ? env.baseUrl : env.key, baseUrl ?? 'an address of your own'].join('\t'),
    ),
    json: all,
  };
}

/** Which servers of one's own answer on this machine. */
export async function discoverServers(): Promise<Output> {
  const servers = await findLocalServers({ fetch });
  const nothing = 'No server answered on the usual ports of 127.0.0.1 (11434, 1234, 8080, 8000).';
  return {
    lines: servers.length === 0 ? [nothing] : servers.map(serverLine),
    json: servers,
  };
}

/** The variable that makes `serve` use it, ready to be copied. */
function serverLine({ id, name, baseUrl, models }: Awaited<ReturnType<typeof findLocalServers>>[number]): string {
  const variable = knownProviders.find((known) => known.id === id)?.env.baseUrl ?? '';
  return [name, `${variable}=${baseUrl}`, `${models.length} models`, models.slice(0, 5).join(' ')].join('\t');
}
