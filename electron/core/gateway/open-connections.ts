import type { Wallet } from '#shared/contract/common/fields.ts';
import { refusal } from '#shared/language/refusals.ts';
import type { Connections, Payer } from '../connection/connections.ts';
import type { RemoteGateway } from './remote-gateway.ts';

export interface ConnectionsDeps {
  readonly remote: Pick<RemoteGateway, 'get' | 'payer'>;
  readonly embedded: (wallet: Wallet) => Promise<Payer>;
  /** Whether a provider can answer with the user’s own key: then the sandbox answers only on request. */
  readonly hasProvider: () => Promise<boolean>;
}

/** The gateway in use: the connected one, else the built-in one. */
export function openConnections({ remote, embedded, hasProvider }: ConnectionsDeps): Connections {
  async function walletFor(model: string): Promise<Wallet> {
    if (model.startsWith('sandbox/')) return 'sandbox';
    return model === 'router' && !(await hasProvider()) ? 'sandbox' : 'main';
  }

  async function wallet(name: Wallet): Promise<Payer> {
    if (!remote.get()) return embedded(name);
    if (name === 'main') return remote.payer();
    throw refusal('not_found', 'noTestCredits');
  }

  return {
    get mode() {
      return remote.get() ? 'remote' : 'embedded';
    },
    wallet,
    payers: () => (remote.get() ? Promise.all([remote.payer()]) : Promise.all([embedded('main'), embedded('sandbox')])),
    payerFor: async (model) => wallet(remote.get() ? 'main' : await walletFor(model)),
    async bySource(source) {
      if (source === 'embedded/main') return embedded('main');
      if (source === 'embedded/sandbox') return embedded('sandbox');
      const connected = remote.get();
      return connected && source === `${connected.baseUrl}/main` ? remote.payer() : null;
    },
  };
}
