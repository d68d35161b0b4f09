import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useApi } from '../../lib/api.ts';

/** Results of a query as it stands once typing pauses; those before stay in sight meanwhile. */
export function useSearch(query: string) {
  const api = useApi();
  const settled = useSettled(query.trim(), 80);
  const found = useInfiniteQuery({
    queryKey: ['conversations', 'search', settled],
    queryFn: ({ pageParam, signal }) => api.search.find({ query: settled, limit: 50, cursor: pageParam }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    enabled: settled !== '',
    placeholderData: keepPreviousData,
  });
  return {
    ...found,
    hits: found.data?.pages.flatMap((page) => page.hits) ?? [],
    problems: found.data?.pages[0]?.problems ?? [],
  };
}

function useSettled(value: string, delayMs: number): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delayMs);
    return () => clearTimeout(timer);
  }, [value, delayMs]);
  return settled;
}
