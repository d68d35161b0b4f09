import type { SpendStore } from '../caps/spend-store.ts';
import type { Changes } from '../changes.ts';
import type { Connections } from '../connections.ts';
import { failureEntry, type Log } from '../log.ts';
import { costOfRecord } from './cost.ts';
import { findNamedRequest } from './named-request.ts';
import { settledRecord } from './settled-record.ts';

export interface SpendLookupDeps {
  readonly spend: Pick<SpendStore, 'openRequests' | 'giveUp' | 'add'>;
  readonly connections: Connections;
  readonly changes: Changes;
  readonly log: Log;
  readonly signal: AbortSignal;
}

type Row = Awaited<ReturnType<SpendStore['openRequests']>>[number];

/** Once, at a start: what summaries have cost whose writing a crash ended. Never throws. */
export async function lookUpOpenSpend(deps: SpendLookupDeps): Promise<void> {
  try {
    await Promise.all((await deps.spend.openRequests()).map((row) => lookUp(deps, row)));
  } catch (error) {
    deps.log({ event: 'cost-lookup-failed', ...failureEntry(error) });
  }
}

async function lookUp({ spend, connections, changes, signal }: SpendLookupDeps, row: Row): Promise<void> {
  const payer = row.source === null ? null : await connections.bySource(row.source);
  if (!payer || row.client_request_id === null) return;
  const id = row.request_id ?? (await findNamedRequest(payer.client, row.client_request_id, row.at, signal));
  const record = id === null || id === 'none' ? id : await settledRecord(payer.client, id, signal);
  if (record === null || signal.aborted) return;
  if (typeof record === 'string') return spend.giveUp(row.id);
  const { costUsd, costSource } = costOfRecord(record);
  await spend.add({ ...row, request_id: record.id, cost_usd: costUsd, cost_source: costSource });
  changes.emit('messages', 'account');
}
