import { useQueryClient } from '@tanstack/react-query';
import { useOrpc } from '../../../api/api.ts';

/**
 * Returns a function that checks whether a model’s provider has a key. It refetches the list, because a key may have
 * been entered since.
 */
export function useHasKey(): (id: string) => Promise<boolean> {
  const queries = useQueryClient();
  const list = useOrpc().models.list.queryOptions({ staleTime: 0 });
  return async (id) => {
    const listed = await queries.fetchQuery(list).catch(() => null);
    return listed?.models.some((model) => model.id === id && model.status !== 'no_credential') ?? false;
  };
}
