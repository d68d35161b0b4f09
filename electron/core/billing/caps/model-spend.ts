import type { Connections } from '../../gateways/connection/connections.ts';
import { getPersonCost } from '../costs/cost.ts';
import type { SpendStore } from '../costs/spend-store.ts';

interface ModelSpendDeps {
  readonly connections: Pick<Connections, 'billingAccount'>;
  readonly spend: Pick<SpendStore, 'sinceByModel'>;
}

/** A slow gateway must not keep anybody from sending a message. */
const limitMs = 3_000;

/**
 * Returns what each model cost since `month`, in nano-USD by model id. Counts the ledger of the main account, other
 * programs included, and this app's chats on other accounts. If the gateway can't group by model or doesn't answer,
 * only this app's chats count.
 */
export async function modelSpend({ connections, spend }: ModelSpendDeps, month: number): Promise<Map<string, bigint>> {
  const fromLedger = await readLedgerCosts(connections, month);
  const costs = await spend.sinceByModel(month, fromLedger?.source ?? null);
  for (const [model, cost] of fromLedger?.costs ?? []) costs.set(model, (costs.get(model) ?? 0n) + cost);
  return costs;
}

async function readLedgerCosts(connections: Pick<Connections, 'billingAccount'>, month: number) {
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
    // Whatever the error, the app falls back to its own records.
    return null;
  }
}
