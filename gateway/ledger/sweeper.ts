import { nanoUsd } from '#shared/money.ts';
import { noTokens } from '#shared/price.ts';
import type { GatewayDb } from '../storage/open-database.ts';
import type { RequestRow } from '../storage/schema.ts';
import type { Ledger, Settlement } from './ledger.ts';
import type { AccountState } from './ledger-snapshot.ts';

export const sweepEveryMs = 15_000;
/** This process settles what it runs; its own leases are only taken away where it has evidently forgotten them. */
const ownGraceMs = 20 * 60_000;
const batch = 500;

/** A ledger that also ends the requests of others. */
export interface InterruptingLedger extends Ledger {
  /** Ends a running request whose lease (milliseconds since the epoch) is still this one; else changes nothing: false. */
  interrupt(settlement: Settlement, leaseUntil: bigint): Promise<boolean>;
  /** An account as this instance saw it last: others write to it too. Absent where the books themselves are as near. */
  seen?(accountId: string): AccountState | undefined;
}

export interface SweeperDeps {
  readonly db: GatewayDb;
  readonly ledger: Pick<InterruptingLedger, 'interrupt'>;
  readonly now: () => number;
  readonly instanceId: string;
}

/** Ends the requests whose process died: as `interrupted`, charged nothing, their hold freed. Returns how many. */
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

/** Ends what earlier processes left running, without waiting for leases: only where no other process can be alive. */
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
    // Its process may have given a sign of life since the row was read.
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
