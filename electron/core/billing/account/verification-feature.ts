import type { BillingAccount } from '#shared/contract/common/fields.ts';
import { checkCredential } from '../../gateways/connection/check-credential.ts';
import type { Connections } from '../../gateways/connection/connections.ts';
import { askGateway } from '../../gateways/connection/gateway-errors.ts';
import type { CoreContext } from '../../storage/core-context.ts';

/** Asks the gateway to verify the credential of a billing account. */
export const verificationFeature = ({
  connections,
  now,
}: CoreContext & { readonly connections: Pick<Connections, 'billingAccount'> }) => ({
  async get({ billingAccount }: { billingAccount: BillingAccount }) {
    const { client } = await connections.billingAccount(billingAccount);
    return { reported: await askGateway(() => checkCredential(client)), checkedAt: now() };
  },
});
