import type { Connections } from '../../gateways/connection/connections.ts';
import type { Log } from '../../runtime/log/log.ts';
import type { Changes } from '../../runtime/streams/change-topics.ts';
import type { ThreadReaders } from '../../runtime/streams/thread-readers.ts';
import { keptSource } from '../../storage/database/message-row.ts';
import type { SettingsStore } from '../../storage/settings/settings-store.ts';
import { costOfRecord, uncharged } from './cost.ts';
import { lookUpUnsettled } from './look-up-unsettled.ts';
import { getRecord } from './record-of.ts';
import type { SpendStore } from './spend-store.ts';

export interface SpendLookupDeps {
  readonly spend: Pick<SpendStore, 'openRequests' | 'giveUp' | 'add'>;
  readonly connections: Connections;
  readonly settings: SettingsStore;
  readonly changes: Changes;
  readonly readers: Pick<ThreadReaders, 'publish'>;
  readonly log: Log;
  readonly signal: AbortSignal;
}

type Row = Awaited<ReturnType<SpendStore['openRequests']>>[number];

/**
 * Looks up the costs of summaries that a crash interrupted: those open at the start, until they are known. The first
 * call collects them; their gateway may be connected later. Never throws.
 */
export function spendLookup(deps: SpendLookupDeps) {
  let left: Promise<Map<string, Row>> | undefined;
  const atStart = async () => new Map((await deps.spend.openRequests()).map((row) => [row.id, row]));
  return lookUpUnsettled<Row>({
    async open() {
      left ??= atStart();
      return [...(await left).values()];
    },
    async lookUp(row) {
      if (await lookUp(deps, row)) (await left)?.delete(row.id);
    },
    log: deps.log,
  });
}

async function lookUp(
  { spend, connections, settings, changes, readers, signal }: SpendLookupDeps,
  row: Row,
): Promise<boolean> {
  const payer = row.source === null ? null : await connections.bySource(row.source);
  if (!payer || row.client_request_id === null) return false;
  const asked = { requestId: row.request_id, name: row.client_request_id, at: row.at };
  const record = await getRecord(settings, payer, asked, signal);
  if (record === null || signal.aborted) return false;
  if (record === 'no-records') {
    await spend.giveUp(row.id);
    return true;
  }
  const known =
    record === 'none' ? { ...uncharged, id: null } : { ...costOfRecord(record, payer.source), id: record.id };
  const cost_source = keptSource(known.costSource);
  await spend.add({ ...row, request_id: known.id, cost_usd: known.costUsd, cost_source });
  // A cost that stays unknown is not asked for again.
  if (known.costUsd === null) await spend.giveUp(row.id);
  readers.publish(row.conversation_id, { type: 'conversation-changed' });
  changes.emit('account');
  return true;
}
