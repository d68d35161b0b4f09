import { nanoUsd } from '#shared/money.ts';
import { noTokens } from '#shared/price.ts';
import type { GatewayDb } from '../storage/open-database.ts';
import type { RequestRow } from '../storage/schema.ts';
import type { Ledger, Settlement } from './ledger.ts';
import type { AccountState } from './ledger-snapshot.ts';

export const sweepEveryMs = 15_000;
/**
 * A process settles its own requests. Its own leases are swept only when they are this late, which means it has lost track of
 * them.
 */
const ownGraceMs = 20 * 60_000;
const batch = 500;

/** A ledger that can also end requests of other processes. */
export interface InterruptingLedger extends Ledger {
  /**
   * Ends a running request if its lease (milliseconds since the epoch) is unchanged. Otherwise changes nothing and returns false.
   */
  interrupt(settlement: Settlement, leaseUntil: bigint): Promise<boolean>;
  /**
   * Returns an account as this instance last saw it; other instances may have changed it. Absent on SQLite, where reading the
   * ledger is just as fast.
   */
  seen?(accountId: string): AccountState | undefined;
}

export interface SweeperDeps {
  readonly db: GatewayDb;
  readonly ledger: Pick<InterruptingLedger, 'interrupt'>;
  readonly now: () => number;
  readonly instanceId: string;
}

/** Ends requests whose process died: status failed, error `interrupted`, no charge, hold released. Returns how many it ended. */
export async function sweepExpired({ db, ledger, now, instanceId }: SweeperDeps): Promise<number> {
  return endAll(ledger, now, () =>
    db
      .selectFrom('requests')
      .selectAll()
      .where('status', '=', 'running')
      .where((row) =>
        row.or([
          row.and([row('instance_id', '!=', instanceId), row('lease_until', '<', BigInt(now()))]),
          row('lease_until', '<', BigInt(now() - ownGraceMs)),
        ]),
      )
      .limit(batch)
      .execute(),
  );
}

/** Ends the requests of earlier processes without waiting for their leases. Only safe when no other process can be alive. */
export async function sweepEarlierInstances({ db, ledger, now, instanceId }: SweeperDeps): Promise<number> {
  return endAll(ledger, now, () =>
    db
      .selectFrom('requests')
      .selectAll()
      .where('status', '=', 'running')
      .where('instance_id', '!=', instanceId)
      .limit(batch)
      .execute(),
  );
}

async function endAll(
  ledger: SweeperDeps['ledger'],
  now: () => number,
  find: () => Promise<RequestRow[]>,
): Promise<number> {
  let ended = 0;
  for (let rows = await find(); rows.length > 0; rows = await find()) {
    // The process may have renewed the lease since the row was read, so `interrupt` compares it again.
    await Promise.all(rows.map((row) => ledger.interrupt(interruption(row, now()), row.lease_until)));
    ended += rows.length;
  }
  return ended;
}

const interruption = (row: RequestRow, now: number): Settlement => ({
  requestId: row.id,
  status: 'failed',
  errorCode: 'interrupted',
  charge: nanoUsd(0n),
  upstreamCost: nanoUsd(0n),
  estimated: false,
  provider: row.provider,
  model: row.model,
  usage: noTokens,
  price: null,
  routing: null,
  firstTokenMs: null,
  totalMs: Math.max(0, now - Number(row.created)),
});
