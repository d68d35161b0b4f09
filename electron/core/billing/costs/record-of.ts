import type { ReportedRequest } from '#shared/client/reported.ts';
import type { Payer } from '../../gateways/connection/connections.ts';
import { findNamedRequest } from '../../runtime/named-request.ts';
import type { SettingsStore } from '../../storage/settings/settings-store.ts';
import { settledRecord } from './settled-record.ts';

const replacedSetting = 'ledger.replaced';

/**
 * From now on the books of the gateway inside do not know all that was asked before: noted before they are replaced. Returns what
 * takes the note back, where they were not.
 */
export async function noteReplacedLedger(settings: SettingsStore, now: number): Promise<() => Promise<void>> {
  const before = await settings.read(replacedSetting);
  await settings.write(replacedSetting, now);
  return () => (before === undefined ? settings.forget(replacedSetting) : settings.write(replacedSetting, before));
}

interface Asked {
  readonly requestId: string | null;
  /** What the request was named when it was sent; null: it has no name. */
  readonly name: string | null;
  readonly at: number;
}

/**
 * The gateway's record of what was asked, as `settledRecord` tells it. What is missing from books that replaced those in which it was
 * asked is not known, and may be there again.
 */
export async function getRecord(
  settings: Pick<SettingsStore, 'read'>,
  { client, source }: Pick<Payer, 'client' | 'source'>,
  { requestId, name, at }: Asked,
  signal: AbortSignal,
): Promise<ReportedRequest | 'none' | 'no-records' | null> {
  const id = requestId ?? (name === null ? 'none' : await findNamedRequest(client, name, at, signal));
  const record = id === null || id === 'none' || id === 'no-records' ? id : await settledRecord(client, id, signal);
  if (record !== 'none' || !source.startsWith('embedded/')) return record;
  return at <= Number((await settings.read(replacedSetting)) ?? 0) ? null : 'none';
}
