import { useQuery } from '@tanstack/react-query';
import type { BillingAccount } from '#shared/contract/common/fields.ts';
import { useOrpc } from '../../../api/api.ts';
import { refetchOnFocus } from '../../../api/use-core.ts';

export const useAccount = (billingAccount: BillingAccount) =>
  useQuery(useOrpc().account.get.queryOptions({ input: { billingAccount }, ...refetchOnFocus }));

/** Verifies the credential with the gateway each time the page is opened. */
export const useVerification = (billingAccount: BillingAccount) =>
  useQuery(useOrpc().verification.get.queryOptions({ input: { billingAccount } }));

/** Reads how much of the plan’s quotas is used. */
export const useQuotas = (billingAccount: BillingAccount) =>
  useQuery(useOrpc().account.quotas.queryOptions({ input: { billingAccount }, ...refetchOnFocus }));
