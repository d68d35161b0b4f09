import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Wallet } from '#shared/contract/fields.ts';
import type { UsageGroup } from '#shared/wire/usage.ts';
import { useApi } from '../../lib/api.ts';

/** Usage of a period; the old one stays until the new one is there. */
export function useUsage(wallet: Wallet, groupBy: UsageGroup, range: { start: number; end: number }) {
  const api = useApi();
  return useQuery({
    queryKey: ['money', 'usage', wallet, groupBy, range.start, range.end],
    queryFn: ({ signal }) => api.usage.get({ wallet, groupBy, ...range }, { signal }),
    placeholderData: keepPreviousData,
  });
}
