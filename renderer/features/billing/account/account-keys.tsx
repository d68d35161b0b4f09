import type { BillingAccountBalance } from '#shared/contract/app/billing-accounts.ts';
import { useGatewayAccounts } from '../../../api/use-gateway-accounts.ts';
import { useGateway } from '../../../api/use-settings-calls.ts';
import { keysText as words } from '../../../text/keys-text.ts';
import { billingAccountName } from '../../../ui/elements/billing-account-name.ts';
import { SkeletonRows } from '../../../ui/notices/skeleton.tsx';
import { ApiKeys } from '../../gateways/keys/api-keys.tsx';
import { Snippets } from '../../gateways/keys/snippets.tsx';
import { AccountPart } from './account-part.tsx';

/** Keys of this account for other programs, and how they use it. */
export function AccountKeys({ billingAccount }: { billingAccount: BillingAccountBalance }) {
  const gateways = useGatewayAccounts().data;
  const gateway = useGateway().data;
  if (!gateways)
    return (
      <AccountPart title={words.title}>
        <SkeletonRows rows={2} label={words.loading} />
      </AccountPart>
    );
  const elsewhere = gateways.accounts.find(({ id }) => id === gateways.active);
  const account = {
    id: elsewhere?.id ?? billingAccount.id,
    name: billingAccountName(billingAccount),
    embedded: elsewhere === undefined,
  };
  const baseUrl = elsewhere?.baseUrl ?? gateway?.local.url ?? null;
  return (
    <>
      <AccountPart title={words.title}>
        <ApiKeys key={account.id} accounts={[account]} baseUrl={baseUrl} />
      </AccountPart>
      <AccountPart title={words.use}>
        {baseUrl !== null && <Snippets baseUrl={baseUrl} />}
        {baseUrl === null && gateway && <p className="text-fg-2">{words.closed}</p>}
      </AccountPart>
    </>
  );
}
