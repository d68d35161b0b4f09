import { GatewayError } from '#shared/client/gateway-error.ts';
import type { RequestRecord } from '#shared/wire/request-record.ts';
import type { Changes } from '../changes.ts';
import type { Connections } from '../connections.ts';
import type { MessageStore } from '../conversations/message-store.ts';
import { failureEntry, type Log } from '../log.ts';
import type { AnswerPatch, MessageRow } from '../message-row.ts';
import { pause } from '../pace.ts';
import { costOfRecord, usageOfRecord } from './cost.ts';
import type { LiveAnswers } from './live-answers.ts';

export interface CostLookupDeps {
  readonly messages: MessageStore;
  readonly connections: Connections;
  readonly live: LiveAnswers;
  readonly changes: Changes;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** A stopped request is settled by the gateway a moment later than we see its end. */
const waitsMs = [0, 100, 300, 1000, 3000, 10_000, 30_000];

/** Asks the gateway what ended answers have cost where their own stream could not tell any more. Never throws. */
export function costLookup(deps: CostLookupDeps) {
  const asking = new Set<string>();
  return async function lookUpOpenCosts(): Promise<void> {
    try {
      const rows = (await deps.messages.costOpen()).filter((row) => !asking.has(row.id));
      for (const row of rows) asking.add(row.id);
      await Promise.all(rows.map((row) => lookUp(deps, row).finally(() => asking.delete(row.id))));
    } catch (error) {
      deps.log({ event: 'cost-lookup-failed', ...failureEntry(error) });
    }
  };
}

async function lookUp(deps: CostLookupDeps, row: MessageRow): Promise<void> {
  const patch = await patchFor(deps, row);
  if (!patch || deps.signal.aborted) return;
  await deps.messages.update(row.id, patch);
  const message = await deps.messages.find(row.id);
  if (!message) return;
  deps.live.publish(message.conversationId, { type: 'message-updated', message });
  deps.changes.emit('messages', 'account');
}

/** Null: not known yet, ask again at the next start. */
async function patchFor({ connections, signal }: CostLookupDeps, row: MessageRow): Promise<AnswerPatch | null> {
  if (row.request_id === null || row.source === null) return { costOpen: false };
  for (const waitMs of waitsMs) {
    await pause(waitMs, signal);
    if (signal.aborted) return null;
    const payer = await connections.bySource(row.source);
    if (!payer) return null;
    try {
      const record = await payer.client.requestRecord(row.request_id, { signal });
      if (record.status !== 'running') return patchOf(record);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      // A gateway without this extension, or one that never opened the request: nothing was told, nothing is known.
      if (error.status_code === 404 || error.status_code === 405) return { costOpen: false };
      if (error.status_code === 401 || error.status_code === 403) return null;
    }
  }
  return null;
}

function patchOf(record: RequestRecord): AnswerPatch {
  const usage = usageOfRecord(record);
  return { ...costOfRecord(record), ...(usage ? { usage } : {}), costOpen: false };
}
