import type { BillingAccountBalance } from '#shared/contract/app/billing-accounts.ts';
import type { BillingAccount } from '#shared/contract/common/fields.ts';
import { billingAccountName } from '../elements/billing-account-name.ts';
import { Segmented } from './segmented.tsx';

interface BillingAccountSwitchProps {
  label: string;
  billingAccounts: readonly BillingAccountBalance[];
  value: BillingAccount;
  onChange: (billingAccount: BillingAccount) => void;
}

/** Chooses the wallet to show, where there are two. */
export function BillingAccountSwitch({ label, billingAccounts, value, onChange }: BillingAccountSwitchProps) {
  if (billingAccounts.length < 2) return null;
  return (
    <Segmented
      label={label}
      value={value}
      options={billingAccounts.map((billingAccount) => ({
        value: billingAccount.id,
        label: billingAccountName(billingAccount),
      }))}
      onChange={onChange}
    />
  );
}
