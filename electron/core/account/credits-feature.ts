import type { Ledger } from '#shared/contract/app/wallets.ts';
import type { Wallet } from '#shared/contract/common/fields.ts';
import type { Connections } from '../connection/connections.ts';
import { askGateway } from '../connection/gateway-errors.ts';
import { bookedModelName, type DescribeModel } from '../connection/model-facts.ts';
import type { SpendStore } from '../costs/spend-store.ts';

const limitMs = 10_000;

export interface CreditsDeps {
  readonly connections: Connections;
  readonly modelFacts: DescribeModel;
  readonly spend: Pick<SpendStore, 'usesOf'>;
}

/** The ledger as the gateway reports it; nothing is summed here. To each line what the app knows of it. */
export function creditsFeature({ connections, modelFacts, spend }: CreditsDeps) {
  return {
    async get(input: { wallet: Wallet; limit: number; after?: string | null | undefined }): Promise<Ledger> {
      const { client } = await connections.wallet(input.wallet);
      const page = { limit: input.limit, ...(input.after ? { after: input.after } : {}) };
      const credits = await askGateway(() => client.credits(page, { signal: AbortSignal.timeout(limitMs) }));
      const { data } = credits.transactions;
      const uses = await spend.usesOf(data.flatMap(({ request_id }) => request_id ?? []));
      const lines = data.map((line) => ({
        ...line,
        name: line.model && bookedModelName(modelFacts, line.provider, line.model),
        use: (line.request_id && uses.get(line.request_id)) || null,
      }));
      return { ...credits, transactions: { ...credits.transactions, data: lines } };
    },
  };
}
