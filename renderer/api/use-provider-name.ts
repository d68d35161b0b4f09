import { useQuery } from '@tanstack/react-query';
import type { Provider } from '#shared/contract/app/providers.ts';
import { knownProviders } from '#shared/known-providers.ts';
import { text } from '../text/ui-text.ts';
import { useOrpc } from './api.ts';

export type ProviderName = (id: string) => string;

const usual: ReadonlyMap<string, string> = new Map([
  ...knownProviders.map(({ id, name }) => [id, name] as const),
  ['openai-compatible', text.ownServer],
  ['portico', 'Portico'],
  ['sandbox', text.sandbox],
]);

const usualName: ProviderName = (id) => usual.get(id) ?? id;

/** TanStack Query calls this once for each new list, so components re-render only when the list changes. */
function nameIn(list: readonly Provider[]): ProviderName {
  const servers = new Map(list.flatMap(({ id, name, server }) => (server ? [[id, name] as const] : [])));
  return (id) => servers.get(id) ?? usualName(id);
}

/**
 * Returns a function that names a provider: the user's own server as the user named it, others by their usual spelling.
 * An unknown provider, or a server that was removed, keeps its id, which was made from its name.
 */
export const useProviderName = (): ProviderName =>
  useQuery(useOrpc().providers.list.queryOptions({ select: nameIn })).data ?? usualName;
