import type { Operator } from '#gateway/operator/operator.ts';
import type { GatewayClient } from '#shared/client/gateway-client.ts';
import type { UsageReport } from '#shared/contract/app/wallets.ts';
import type { Wallet } from '#shared/contract/common/fields.ts';
import type { UsageGroup } from '#shared/wire/usage.ts';
import type { Connections } from '../connection/connections.ts';
import { askGateway } from '../connection/gateway-errors.ts';
import type { DescribeModel } from '../connection/model-facts.ts';
import { usageReport } from './usage-report.ts';

const limitMs = 15_000;

interface Period {
  readonly wallet: Wallet;
  readonly groupBy: UsageGroup;
  readonly start?: number | null | undefined;
  readonly end?: number | null | undefined;
}

interface UsageDeps {
  readonly connections: Connections;
  readonly modelFacts: DescribeModel;
  /** Of the embedded gateway. */
  readonly operator: Pick<Operator, 'listKeys'>;
}

/** Usage of a period, grouped. The gateway counts in whole seconds: a started second belongs to the period. */
export function usageFeature({ connections, modelFacts, operator }: UsageDeps) {
  /** Labels of the keys of an account; a gateway elsewhere tells that of the key in use alone. */
  async function keyLabels(client: GatewayClient, signal: AbortSignal): Promise<Map<string, string | null>> {
    const { id, credential } = await askGateway(() => client.account({ signal }));
    const keys = connections.mode === 'embedded' && id !== null ? await operator.listKeys(id) : [];
    return new Map([
      [credential?.id ?? '', credential?.label ?? null],
      ...keys.map((key) => [key.id, key.label] as const),
    ]);
  }

  return {
    async get({ wallet, groupBy, start, end }: Period): Promise<UsageReport> {
      const { client } = await connections.wallet(wallet);
      const query = {
        group_by: groupBy,
        ...(start == null ? {} : { start: Math.floor(start / 1000) }),
        ...(end == null ? {} : { end: Math.ceil(end / 1000) }),
      };
      const signal = AbortSignal.timeout(limitMs);
      const usage = await askGateway(() => client.usage(query, { signal }));
      const labels = groupBy === 'key' ? await keyLabels(client, signal) : null;
      return usageReport(usage, modelFacts, (keyId) => labels?.get(keyId) ?? null);
    },
  };
}
