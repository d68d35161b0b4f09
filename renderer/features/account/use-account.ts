import { useQuery } from '@tanstack/react-query';
import type { Wallet } from '#shared/contract/common/fields.ts';
import { useOrpc } from '../../api/api.ts';
import { ofTheBooks } from '../../api/use-core.ts';

export const useAccount = (wallet: Wallet) =>
  useQuery(useOrpc().account.get.queryOptions({ input: { wallet }, ...ofTheBooks }));
