import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useOrpc } from '../../api/api.ts';
import { useDebounced } from '../../browser/use-debounced.ts';

/** Search results, updated when typing pauses. The previous ones stay meanwhile. */
export function useSearch(query: string) {
  const settled = useDebounced(query.trim(), 80);
  const found = useInfiniteQuery(
    useOrpc().search.find.infiniteOptions({
      input: (cursor: string | null) => ({ query: settled, limit: 50, cursor }),
      initialPageParam: null as string | null,
      getNextPageParam: (page) => page.nextCursor,
      enabled: settled !== '',
      placeholderData: keepPreviousData,
    }),
  );
  return {
    ...found,
    hits: found.data?.pages.flatMap((page) => page.hits) ?? [],
    problems: found.data?.pages[0]?.problems ?? [],
  };
}
