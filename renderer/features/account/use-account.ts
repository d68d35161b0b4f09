import { useQuery } from '@tanstack/react-query';
import type { Wallet } from '#shared/contract/common/fields.ts';
import { useOrpc } from '../../api/api.ts';

export const useAccount = (wallet: Wallet) => useQuery(useOrpc().account.get.queryOptions({ input: { wallet } }));
