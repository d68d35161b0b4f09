import type { BillingAccount } from '#shared/contract/common/fields.ts';
import { checkCredential } from '../../gateways/connection/check-credential.ts';
import type { Connections } from '../../gateways/connection/connections.ts';
import { askGateway } from '../../gateways/connection/gateway-errors.ts';

/** Asks the gateway to verify the credential of a billing account. */
export const verificationFeature = ({
  connections,
  now,
}: {
  readonly connections: Pick<Connections, 'billingAccount'>;
  readonly now: () => number;
}) => ({
  async get({ billingAccount }: { billingAccount: BillingAccount }) {
    const { client } = await connections.billingAccount(billingAccount);
    return { reported: await askGateway(() => checkCredential(client)), checkedAt: now() };
  },
});
