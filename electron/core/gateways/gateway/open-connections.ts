import type { BillingAccount } from '#shared/contract/common/fields.ts';
import { refusal } from '#shared/language/refusals.ts';
import type { Connections, Payer } from '../connection/connections.ts';
import { getProvider } from './own-keys.ts';
import type { GatewayAccounts } from './remote-accounts.ts';

export interface ConnectionsDeps {
  readonly accounts: Pick<GatewayAccounts, 'all' | 'active' | 'isAgreed' | 'byId' | 'bySource'>;
  readonly embedded: (billingAccount: BillingAccount) => Promise<Payer>;
  /** True if a provider can answer with the user’s own key. Then sandbox models answer only when they are chosen. */
  readonly hasProvider: () => Promise<boolean>;
  readonly ownKey: (provider: string) => unknown;
}

/** Selects the gateway in use: the active remote account, or else the built-in gateway. */
export function openConnections({ accounts, embedded, hasProvider, ownKey }: ConnectionsDeps): Connections {
  async function billingAccountFor(model: string): Promise<BillingAccount> {
    if (model.startsWith('sandbox/')) return 'sandbox';
    return model === 'router' && !(await hasProvider()) ? 'sandbox' : 'main';
  }

  async function billingAccount(name: BillingAccount): Promise<Payer> {
    const active = accounts.active();
    if (!active) return embedded(name);
    if (name === 'main') return accounts.byId(active.id);
    throw refusal('not_found', 'noTestCredits');
  }

  const isEmbedded = (id: string): id is BillingAccount => id === 'main' || id === 'sandbox';

  return {
    get mode() {
      return accounts.active() ? 'remote' : 'embedded';
    },
    billingAccount,
    payers: () => {
      const active = accounts.active();
      return Promise.all(active ? [accounts.byId(active.id)] : [embedded('main'), embedded('sandbox')]);
    },
    ids: () => ['main', 'sandbox', ...accounts.all().map(({ id }) => id)],
    byId: (id) => (isEmbedded(id) ? embedded(id) : accounts.byId(id)),
    async payerFor(model) {
      if (!accounts.active()) return billingAccount(await billingAccountFor(model));
      // Wait for the provider keys, because one of them may have to be sent along.
      await hasProvider();
      return billingAccount('main');
    },
    async ownKeyFor(model) {
      const account = accounts.active();
      const provider = getProvider({ model });
      // Wait for the provider keys, which may still be loading from the keychain.
      if (!account || provider === null || !(await hasProvider()) || !ownKey(provider)) return null;
      return (await accounts.isAgreed(account)) ? provider : null;
    },
    async bySource(source) {
      if (source === 'embedded/main') return embedded('main');
      if (source === 'embedded/sandbox') return embedded('sandbox');
      return accounts.bySource(source);
    },
  };
}
