import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '#shared/errors.ts';
import { lastInLog } from '../../storage/log-files.ts';
import type { GatewayDb } from '../../storage/open-database.ts';
import { takeServingLock } from '../../storage/serving-lock.ts';
import { GatewaySqliteAdapter } from '../../storage/sqlite.ts';
import { logState, replayWriteAheadLog } from './replay-write-ahead-log.ts';

const patienceMs = 10_000;
const pauseMs = 20;

/**
 * For processes that don't serve the SQLite file, such as commands: resolves when the database has every event that was in the
 * write-ahead log at the time of the call. A living server flushes them in a moment. Without one, this process replays what the
 * last server left.
 */
export async function awaitEarlierEvents(db: GatewayDb): Promise<void> {
  const { adapter } = db.getExecutor();
  const connection = adapter instanceof GatewaySqliteAdapter ? adapter.connection : null;
  if (!connection?.path) return;
  const { path } = connection;
  const last = lastInLog(path);
  if (last === null) return;
  for (const until = performance.now() + patienceMs; ; await delay(pauseMs)) {
    const unlock = unlessServed(path);
    try {
      // The replay reads the complete log and throws if it's damaged.
      if (unlock) return void replayWriteAheadLog(connection, () => {});
    } finally {
      unlock?.();
    }
    if (logState(connection).applied >= last) return;
    if (performance.now() > until) throw notFlushed(path);
  }
}

/** Takes the serving lock for a moment. Returns null when a server has it. */
function unlessServed(path: string): (() => void) | null {
  try {
    return takeServingLock(path, { quietly: true });
  } catch (error) {
    if (error instanceof AppError && error.code === 'database_in_use') return null;
    throw error;
  }
}

/** The smallest space that a flush may need. With less, the server cannot flush. */
const minFreeBytes = 65_536;

function notFlushed(path: string): AppError {
  const { bavail, bsize } = statfsSync(dirname(path));
  const isFull = bavail * bsize < minFreeBytes;
  return new AppError(
    'internal_error',
    `The server that has the database "${path}" has not written its last requests into it within ${patienceMs / 1000} seconds. ${isFull ? 'Its disk is full.' : 'See its log.'}`,
    isFull ? { cause: Object.assign(new Error('The disk is full.'), { code: 'ENOSPC' }) } : {},
  );
}
