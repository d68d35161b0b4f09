import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Wallet } from '#shared/contract/common/fields.ts';
import type { UsageGroup } from '#shared/wire/usage.ts';
import { useOrpc } from '../../api/api.ts';
import { ofTheBooks } from '../../api/use-core.ts';

/** Usage of a period; the previous data stays while loading. */
export function useUsage(wallet: Wallet, groupBy: UsageGroup, range: { start: number; end: number }) {
  return useQuery(
    useOrpc().usage.get.queryOptions({
      input: { wallet, groupBy, ...range },
      placeholderData: keepPreviousData,
      ...ofTheBooks,
    }),
  );
}
