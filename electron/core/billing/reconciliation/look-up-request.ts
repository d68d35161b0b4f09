import type { MessageStore } from '../../conversations/message-store.ts';
import type { Payer } from '../../gateways/connection/connections.ts';
import type { CoreContext } from '../../storage/core-context.ts';
import { keptSource } from '../../storage/database/message-row.ts';
import { costOfRecord, uncharged } from '../costs/cost.ts';
import { getRecord, toPatch } from '../costs/cost-lookup.ts';
import type { SpendStore } from '../costs/spend-store.ts';

export interface LookUpDeps extends CoreContext {
  readonly messages: Pick<MessageStore, 'find' | 'update' | 'goingOnWith'>;
  readonly spend: Pick<SpendStore, 'find' | 'findByRequest' | 'add'>;
}

const limitMs = 15_000;

/**
 * Asks the gateway again what a request cost, and stores the cost with its message, or with the spend record if the
 * message was deleted. Returns false if the app has no record of the request, or the gateway can't report its cost.
 */
export async function lookUpRequest(
  { messages, spend, settings, readers }: LookUpDeps,
  { client, source }: Payer,
  { requestId, spendId }: { readonly requestId: string | null; readonly spendId: string | null },
): Promise<boolean> {
  const row =
    spendId !== null ? await spend.find(spendId) : requestId !== null ? await spend.findByRequest(requestId) : null;
  if (!row) return false;
  const signal = AbortSignal.timeout(limitMs);
  const asked = { requestId: requestId ?? row.request_id, name: row.id, at: row.at };
  const record = await getRecord(settings, { client, source }, asked, signal);
  if (record === null || record === 'no-records') return false;
  const cost = record === 'none' ? uncharged : costOfRecord(record, source);
  if (!(await messages.find(row.id))) {
    const settled = { cost_usd: cost.costUsd, cost_source: keptSource(cost.costSource) };
    await spend.add({ ...row, ...settled, request_id: record === 'none' ? row.request_id : record.id });
    return true;
  }
  const patch = record === 'none' ? uncharged : { ...toPatch(record, source), requestId: record.id };
  await messages.update(row.id, { ...patch, costOpen: false });
  for (const message of await messages.goingOnWith(row.id))
    if (message.status !== 'streaming') readers.publish(message.conversationId, { type: 'message-updated', message });
  return true;
}
