import { nanoUsd } from '#shared/money.ts';
import { noTokens } from '#shared/price.ts';
import type { BooksDb } from '../db/open.ts';
import type { RequestRow } from '../db/schema.ts';
import type { Transact } from '../db/transact.ts';
import { settle } from './ledger-store.ts';

export const sweepEveryMs = 15_000;
/** This process settles what it runs; its own leases are only taken away where it has evidently forgotten them. */
const ownGraceMs = 20 * 60_000;
const batch = 500;

export interface SweeperDeps {
  readonly db: BooksDb;
  readonly transact: Transact;
  readonly now: () => number;
  readonly instanceId: string;
}

/** Ends the requests whose process died: as `interrupted`, charged nothing, their hold freed. Returns how many. */
export async function sweepExpired({ db, transact, now, instanceId }: SweeperDeps): Promise<number> {
  return endAll(transact, now, () =>
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
export async function sweepEarlierInstances({ db, transact, now, instanceId }: SweeperDeps): Promise<number> {
  return endAll(transact, now, () =>
    db
      .selectFrom('requests')
      .selectAll()
      .where('status', '=', 'running')
      .where('instance_id', '!=', instanceId)
      .limit(batch)
      .execute(),
  );
}

async function endAll(transact: Transact, now: () => number, find: () => Promise<RequestRow[]>): Promise<number> {
  let ended = 0;
  for (let rows = await find(); rows.length > 0; rows = await find()) {
    await Promise.all(rows.map((row) => interrupt(transact, row, now())));
    ended += rows.length;
  }
  return ended;
}

async function interrupt(transact: Transact, row: RequestRow, now: number): Promise<void> {
  await transact(async (trx) => {
    // Its process may have given a sign of life since the row was read.
    const unchanged = await trx
      .updateTable('requests')
      .set({ lease_until: row.lease_until })
      .where('id', '=', row.id)
      .where('status', '=', 'running')
      .where('lease_until', '=', row.lease_until)
      .executeTakeFirst();
    if (unchanged.numUpdatedRows !== 1n) return;
    await settle(
      trx,
      {
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
      },
      now,
    );
  });
}
