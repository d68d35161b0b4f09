import { closeSync, existsSync, fdatasyncSync, openSync } from 'node:fs';
import { AppError } from '#shared/errors.ts';
import { logPaths, readLogFile } from '../../storage/log-files.ts';
import type { Frame } from '../../storage/log-frames.ts';
import type { LedgerConnection } from '../../storage/sqlite.ts';
import { parseEvent } from './event-text.ts';
import { createLedgerFlush } from './flush.ts';

type Log = (entry: Readonly<Record<string, unknown>>) => void;

/** Events in one transaction. */
const maxEvents = 500;

export interface LogState {
  /** A random number that identifies the database a log belongs to. */
  readonly databaseId: number;
  /** The number of the last event that the database has. */
  readonly applied: number;
}

/** Returns which event the database has last. */
export function logState({ prepare }: LedgerConnection): LogState {
  const [row] = prepare('select books as "databaseId", applied from step_journal').all([]) as {
    databaseId: bigint;
    applied: bigint;
  }[];
  if (!row) throw new Error('the database does not know its journal');
  return { databaseId: Number(row.databaseId), applied: Number(row.applied) };
}

/**
 * Writes events that only the write-ahead log has into the database and syncs them there, so that the log may be emptied. If its
 * last events never reached the disk completely, the log is cut before them, and a line in the program's log reports that.
 *
 * Throws `internal_error` when something is damaged or missing that had been on the disk.
 */
export function replayWriteAheadLog(connection: LedgerConnection, log: Log): LogState {
  const { path } = connection;
  const state = logState(connection);
  if (path === null) return state;
  const files = logPaths(path).map((file) => readLogFile(file));
  const frames = files.flatMap((file) => file.frames);
  const tornBytes = files.reduce((sum, file) => sum + file.tornBytes, 0);
  if (frames.length === 0 && tornBytes === 0) return state;
  const replayed = completeEvents(frames, state, path);
  const last = frames.reduce((highest, { number }) => Math.max(highest, number), state.applied);
  const lost = last - state.applied - replayed.length;
  const flush = createLedgerFlush(connection);
  try {
    for (const { number, text } of replayed) flush.add(parseEvent(text()), number);
    while (flush.waiting > 0) flush.proceed(maxEvents);
  } catch (error) {
    throw unusable(path, `the steps after ${flush.applied} do not fit: ${(error as Error).message}`);
  }
  if (lost > 0 || tornBytes > 0) log({ event: 'write_ahead_log_truncated', level: 'warn', lost, bytes: tornBytes });
  if (replayed.length > 0) log({ event: 'write_ahead_log_replayed', level: 'info', commands: replayed.length });
  // The number of a lost event is never used again, because remains of that event may still be on the disk.
  connection.prepare('update step_journal set applied = ?').run([BigInt(last)]);
  makeDurable(connection, path);
  return { ...state, applied: last };
}

/** Returns the events that the database lacks, in order, up to the first gap. */
function completeEvents(frames: readonly Frame[], { databaseId, applied }: LogState, path: string): Frame[] {
  const byNumber = new Map<number, Frame>();
  let synced = 0;
  for (const frame of frames) {
    if (frame.databaseId !== databaseId) throw unusable(path, 'it belongs to another database');
    byNumber.set(frame.number, frame);
    synced = Math.max(synced, frame.synced);
  }
  const complete: Frame[] = [];
  for (let next = byNumber.get(applied + 1); next; next = byNumber.get(next.number + 1)) complete.push(next);
  const end = applied + complete.length;
  // Each frame records what had been synced when it was written, so a gap before that point is damage and not a torn end.
  if (end < synced) throw unusable(path, `step ${end + 1} is damaged or missing, though it had been written`);
  return complete;
}

const unusable = (path: string, why: string) =>
  new AppError(
    'internal_error',
    `The journal of the database "${path}" cannot be used: ${why}. Restore both from one backup, or move ${logPaths(path).join(' and ')} away to go on without the last requests.`,
  );

function makeDurable(connection: LedgerConnection, path: string): void {
  connection.prepare('pragma wal_checkpoint(PASSIVE)').all([]);
  const log = `${path}-wal`;
  if (!existsSync(log)) return;
  const descriptor = openSync(log, 'r+');
  fdatasyncSync(descriptor);
  closeSync(descriptor);
}
