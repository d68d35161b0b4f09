import { knownProvider } from '#shared/known-providers.ts';
import { type Download, documentsOf, fetchFiles } from '../upstream/fetched-files.ts';
import type { Provider, ProviderCredential } from './provider.ts';
import { remoteFilesOf } from './upstream-body.ts';

/**
 * A provider that is handed an address only where it can and may fetch it; otherwise the bytes, which the guard fetched. OpenAI's chat
 * completions and Google's API take no document by its address, so that none is handed on. What
 * a server of one's own fetches it fetches from where it stands, past every guard: from its own machine, from the operator's
 * network, from the cloud's metadata (docs/decisions/033-who-may-fetch.md).
 */
export function withoutAddresses(provider: Provider, download?: Download): Provider {
  return {
    ...provider,
    async chat(request, context, take) {
      const remote = remoteFilesOf(request);
      const fetchesImages = provider.fetchesImages && mayFetch(provider.id, context.credential);
      const wanted = fetchesImages ? documentsOf(remote) : remote;
      const fetched = await fetchFiles(wanted, context.signal, download);
      return provider.chat(fetched ? { ...request, fetched } : request, context, take);
    },
  };
}

/** The operator's word, else only a vendor at its own address: one that was changed may be a server of the operator's own. */
const mayFetch = (id: string, { mayFetch: said, baseUrl }: ProviderCredential): boolean =>
  said ?? isVendor(id, baseUrl);

function isVendor(id: string, baseUrl: string): boolean {
  const known = knownProvider(id);
  return known !== null && !known.ownServer && known.baseUrl === baseUrl.replace(/\/+$/, '');
}
