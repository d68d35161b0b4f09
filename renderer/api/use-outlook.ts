import { useQuery } from '@tanstack/react-query';
import type { Wallet } from '#shared/contract/common/fields.ts';
import { useOrpc } from './api.ts';
import { ofTheBooks } from './use-core.ts';

/** How long the balance of a wallet lasts. Null: of none. */
export function useOutlook(wallet: Wallet | null) {
  const { funds } = useOrpc();
  const options = funds.outlook.queryOptions({ input: { wallet: wallet ?? 'main' }, ...ofTheBooks });
  return useQuery({ ...options, enabled: wallet !== null });
}
