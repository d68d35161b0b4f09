import { useQuery } from '@tanstack/react-query';
import type { Wallet } from '#shared/contract/common/fields.ts';
import { useOrpc } from '../../../api/api.ts';
import { ofTheBooks } from '../../../api/use-core.ts';

export const useAccount = (wallet: Wallet) =>
  useQuery(useOrpc().account.get.queryOptions({ input: { wallet }, ...ofTheBooks }));

/** What the gateway says of the credential; asked anew when the page is opened. */
export const useVerification = (wallet: Wallet) =>
  useQuery(useOrpc().verification.get.queryOptions({ input: { wallet } }));

/** How much of the plan’s quotas is used. */
export const useQuotas = (wallet: Wallet) =>
  useQuery(useOrpc().account.quotas.queryOptions({ input: { wallet }, ...ofTheBooks }));
