import type { Wallet } from '#shared/contract/common/fields.ts';
import type { Credits } from '#shared/wire/credits.ts';
import type { Connections } from '../connection/connections.ts';
import { askGateway } from '../connection/gateway-errors.ts';

const limitMs = 10_000;

/** The ledger as the gateway reports it; nothing is summed here. */
export function creditsFeature({ connections }: { readonly connections: Connections }) {
  return {
    async get(input: { wallet: Wallet; limit: number; after?: string | null | undefined }): Promise<Credits> {
      const { client } = await connections.wallet(input.wallet);
      const page = { limit: input.limit, ...(input.after ? { after: input.after } : {}) };
      return askGateway(() => client.credits(page, { signal: AbortSignal.timeout(limitMs) }));
    },
  };
}
