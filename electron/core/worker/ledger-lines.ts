import type { Database } from 'better-sqlite3';
import { formatUsd, nanoUsd } from '#shared/money.ts';
import { attachLedger } from './booked-requests.ts';

/** A line of the ledger as it is exported. The names are those of the wire (wire contract §2.4). */
export interface ExportedLine {
  readonly id: string;
  readonly created: string;
  readonly type: string;
  readonly amount_usd: string;
  readonly balance_after_usd: string;
  readonly description: string | null;
  readonly request_id: string | null;
  readonly provider: string | null;
  readonly model: string | null;
  readonly estimated: boolean;
}

export interface LinesPage {
  readonly lines: readonly ExportedLine[];
  /** Where the next page begins. Null if this is the last one. */
  readonly next: string | null;
}

const pageSize = 2_000;

/** Returns the lines of an account after the given one, in ledger order. Runs in the worker. */
export function ledgerLines(
  db: Database,
  { file, accountId, after }: { readonly file: string; readonly accountId: string; readonly after: string | null },
): LinesPage {
  attachLedger(db, file);
  const rows = db
    .prepare(
      `select seq, id, created, type, amount, balance_after, description, request_id, provider, model, estimated
      from ledger.ledger_entries where account_id = ? and seq > ? order by seq limit ${pageSize}`,
    )
    .safeIntegers()
    .all(accountId, BigInt(after ?? '0')) as Row[];
  const last = rows.at(-1);
  return { lines: rows.map(getLine), next: rows.length === pageSize && last ? String(last.seq) : null };
}

interface Row extends Pick<ExportedLine, 'id' | 'type' | 'description' | 'request_id' | 'provider' | 'model'> {
  readonly seq: bigint;
  readonly created: bigint;
  readonly amount: bigint;
  readonly balance_after: bigint;
  readonly estimated: bigint;
}

const getLine = ({
  id,
  created,
  type,
  amount,
  balance_after,
  description,
  request_id,
  provider,
  model,
  estimated,
}: Row): ExportedLine => ({
  id,
  type,
  description,
  request_id,
  provider,
  model,
  created: new Date(Number(created)).toISOString(),
  amount_usd: formatUsd(nanoUsd(amount)),
  balance_after_usd: formatUsd(nanoUsd(balance_after)),
  estimated: estimated === 1n,
});
