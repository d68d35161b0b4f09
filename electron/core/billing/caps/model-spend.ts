import type { Connections } from '../../gateways/connection/connections.ts';
import { getPersonCost } from '../costs/person-cost.ts';
import type { SpendStore } from '../costs/spend-store.ts';

interface ModelSpendDeps {
  readonly connections: Pick<Connections, 'billingAccount'>;
  readonly spend: Pick<SpendStore, 'sinceByModel'>;
}

/** A gateway that does not answer keeps nobody from writing. */
const limitMs = 3_000;

/**
 * What each model cost since `month`, in nano-USD, by its id: in the books of the account that pays, other programs included, and
 * in chats that other accounts paid for. Of a gateway that does not tell groups, or does not answer now: in this app's chats.
 */
export async function modelSpend({ connections, spend }: ModelSpendDeps, month: number): Promise<Map<string, bigint>> {
  const booked = await bookedByModel(connections, month);
  const costs = await spend.sinceByModel(month, booked?.source ?? null);
  for (const [model, cost] of booked?.costs ?? []) costs.set(model, (costs.get(model) ?? 0n) + cost);
  return costs;
}

async function bookedByModel(connections: Pick<Connections, 'billingAccount'>, month: number) {
  try {
    const { client, source } = await connections.billingAccount('main');
    const query = { group_by: 'model', start: month / 1000 } as const;
    const usage = await client.usage(query, { signal: AbortSignal.timeout(limitMs) });
    if (usage.group_by !== 'model' || usage.grouped === false || usage.period === null) return null;
    const costs = new Map<string, bigint>();
    for (const bucket of usage.data) {
      const { provider, model } = bucket;
      const cost = getPersonCost(bucket);
      if (model === null || cost === null) return null;
      const id = provider === null ? model : `${provider}/${model}`;
      costs.set(id, (costs.get(id) ?? 0n) + cost);
    }
    return { source, costs };
  } catch {
    // Whatever keeps it from telling: what this app knows by itself is counted instead.
    return null;
  }
}
