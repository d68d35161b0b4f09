import type { Wallet } from '#shared/contract/common/fields.ts';
import type { Usage, UsageGroup } from '#shared/wire/usage.ts';
import type { Connections } from '../connection/connections.ts';
import { askGateway } from '../connection/gateway-errors.ts';

const limitMs = 15_000;

interface Period {
  readonly wallet: Wallet;
  readonly groupBy: UsageGroup;
  readonly start?: number | null | undefined;
  readonly end?: number | null | undefined;
}

/** Usage of a period, grouped. The gateway counts in whole seconds: a started second belongs to the period. */
export function usageFeature({ connections }: { readonly connections: Connections }) {
  return {
    async get({ wallet, groupBy, start, end }: Period): Promise<Usage> {
      const { client } = await connections.wallet(wallet);
      const query = {
        group_by: groupBy,
        ...(start == null ? {} : { start: Math.floor(start / 1000) }),
        ...(end == null ? {} : { end: Math.ceil(end / 1000) }),
      };
      return askGateway(() => client.usage(query, { signal: AbortSignal.timeout(limitMs) }));
    },
  };
}
