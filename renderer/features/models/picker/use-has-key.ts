import { useQueryClient } from '@tanstack/react-query';
import { useOrpc } from '../../../api/api.ts';

/** Whether a model’s provider has a key. Asks again: a key may just have been entered, and the list that is shown be from before. */
export function useHasKey(): (id: string) => Promise<boolean> {
  const queries = useQueryClient();
  const list = useOrpc().models.list.queryOptions({ staleTime: 0 });
  return async (id) => {
    const listed = await queries.fetchQuery(list).catch(() => null);
    return listed?.models.some((model) => model.id === id && model.status !== 'no_credential') ?? false;
  };
}
