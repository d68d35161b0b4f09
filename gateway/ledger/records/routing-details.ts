import { setTimeout as pause } from 'node:timers/promises';
import { encodeTime } from 'ulid';
import type { Routing } from '#shared/wire/chat-response.ts';
import type { GatewayDb, GatewayTransaction } from '../../storage/open-database.ts';
import type { Transact } from '../../storage/transact.ts';
import { dayMs } from '../period.ts';

/** About two milliseconds of work if every row still has its details. */
const batch = 40;
/** The pause lets waiting requests run first. */
const pauseMs = 5;
const task = 'routing_details';

/** Returns a routing decision as lists show it: without the candidate models, which are most of its size. */
export function shortRouting({ candidates: _candidates, ...rest }: Routing): Routing {
  return rest;
}

interface RoutingDetailsDeps {
  readonly db: GatewayDb;
  readonly transact: Transact;
  readonly now: () => number;
  /** How long the full decision is kept, in days. Null keeps it forever. */
  readonly days: number | null;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/**
 * Shortens the routing decisions of old requests, oldest first, in small batches. The progress is stored in the database, so
 * several instances share the work and no batch is done twice.
 */
export function createRoutingDetails({ db, transact, now, days, log }: RoutingDetailsDeps) {
  let running: Promise<void> | null = null;
  let closed = false;

  async function shortenAll(end: string): Promise<void> {
    // Checking first avoids a write, and its sync, when there is nothing to do.
    while (!closed && (await hasMore(db, end))) {
      if (!(await transact((trx) => shortenBatch(trx, end)))) return;
      await pause(pauseMs);
    }
  }

  return {
    /** Starts shortening if it isn't running already. A failure is logged and retried with the next sweep. */
    shorten(): void {
      if (days === null || running || closed) return;
      const end = `req_${encodeTime(Math.max(0, now() - days * dayMs))}`;
      running = shortenAll(end)
        .catch((error: unknown) => log({ event: 'routing_details_failed', cause: String(error) }))
        .finally(() => {
          running = null;
        });
    },
    /** Resolves when the last batch is written. */
    async close(): Promise<void> {
      closed = true;
      await running;
    },
  };
}

/** Ids rise with time, and a request this old has ended long ago. */
const olderThan = (db: GatewayDb, reached: string, end: string) =>
  db.selectFrom('requests').where('id', '>', reached).where('id', '<', end).orderBy('id');

async function hasMore(db: GatewayDb, end: string): Promise<boolean> {
  const { reached } = await progress(db).executeTakeFirstOrThrow();
  return (await olderThan(db, reached, end).select('id').limit(1).executeTakeFirst()) !== undefined;
}

const progress = (db: GatewayDb) => db.selectFrom('sweep_progress').select('reached').where('task', '=', task);

/** Returns false when another instance is working on it. */
async function shortenBatch(trx: GatewayTransaction, end: string): Promise<boolean> {
  const hasRowLocks = trx.getExecutor().adapter.supportsMultipleConnections !== false;
  const own = await progress(trx)
    .$if(hasRowLocks, (query) => query.forUpdate().skipLocked())
    .executeTakeFirst();
  if (!own) return false;
  const rows = await olderThan(trx, own.reached, end).select(['id', 'routing']).limit(batch).execute();
  for (const { id, routing } of rows) {
    if (!routing?.includes('"candidates":')) continue;
    const short = JSON.stringify(shortRouting(JSON.parse(routing)));
    await trx.updateTable('requests').set({ routing: short }).where('id', '=', id).execute();
  }
  const reached = rows.at(-1)?.id ?? own.reached;
  await trx.updateTable('sweep_progress').set({ reached }).where('task', '=', task).execute();
  return true;
}
