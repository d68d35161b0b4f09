import { useQuery } from '@tanstack/react-query';
import type { Wallet } from '#shared/contract/fields.ts';
import { useApi } from '../../lib/api.ts';

export function useAccount(wallet: Wallet) {
  const api = useApi();
  return useQuery({
    queryKey: ['money', 'account', wallet],
    queryFn: ({ signal }) => api.account.get({ wallet }, { signal }),
  });
}
