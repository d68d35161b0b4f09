import { closeSync, existsSync, fdatasyncSync, openSync } from 'node:fs';
import { AppError } from '#shared/errors.ts';
import { logPaths, readLogFile } from '../../storage/log-files.ts';
import type { Frame } from '../../storage/log-frames.ts';
import type { LedgerConnection } from '../../storage/sqlite.ts';
import { commandFromText } from './event-text.ts';
import { createLedgerFlush } from './flush.ts';

type Log = (entry: Readonly<Record<string, unknown>>) => void;

/** Steps in one transaction. */
const maxCommands = 500;

export interface LogState {
  /** Tells these books from others. */
  readonly databaseId: number;
  /** The number of the last step that the database has. */
  readonly applied: number;
}

/** How far the database is. */
export function logState({ prepare }: LedgerConnection): LogState {
  const [row] = prepare('select books as "databaseId", applied from step_journal').all([]) as {
    databaseId: bigint;
    applied: bigint;
  }[];
  if (!row) throw new Error('the database does not know its journal');
  return { databaseId: Number(row.databaseId), applied: Number(row.applied) };
}

/**
 * Brings into the database what the journal has more, and makes it durable there, so that the journal may be emptied. Where the end
 * never reached the disk whole, it ends before that, with a line in the log. Throws `internal_error` where something is
 * damaged or missing that was on the disk before.
 */
export function replayWriteAheadLog(connection: LedgerConnection, log: Log): LogState {
  const { path } = connection;
  const state = logState(connection);
  if (path === null) return state;
  const files = logPaths(path).map((file) => readLogFile(file));
  const frames = files.flatMap((file) => file.frames);
  const tornBytes = files.reduce((sum, file) => sum + file.tornBytes, 0);
  if (frames.length === 0 && tornBytes === 0) return state;
  const replayed = wholeFrom(frames, state, path);
  const last = frames.reduce((most, { number }) => Math.max(most, number), state.applied);
  const lost = last - state.applied - replayed.length;
  const flush = createLedgerFlush(connection);
  try {
    for (const { number, text } of replayed) flush.add(commandFromText(text()), number);
    while (flush.waiting > 0) flush.proceed(maxCommands);
  } catch (error) {
    throw unusable(path, `the steps after ${flush.applied} do not fit: ${(error as Error).message}`);
  }
  if (lost > 0 || tornBytes > 0) log({ event: 'write_ahead_log_truncated', level: 'warn', lost, bytes: tornBytes });
  if (replayed.length > 0) log({ event: 'write_ahead_log_replayed', level: 'info', commands: replayed.length });
  // The number of a step that was lost is never given again: its remains may still be on the disk.
  connection.prepare('update step_journal set applied = ?').run([BigInt(last)]);
  makeDurable(connection, path);
  return { ...state, applied: last };
}

/** The steps that the database lacks, in their order, up to the first that is not there. */
function wholeFrom(frames: readonly Frame[], { databaseId, applied }: LogState, path: string): Frame[] {
  const byNumber = new Map<number, Frame>();
  let synced = 0;
  for (const frame of frames) {
    if (frame.databaseId !== databaseId) throw unusable(path, 'it belongs to another database');
    byNumber.set(frame.number, frame);
    synced = Math.max(synced, frame.synced);
  }
  const whole: Frame[] = [];
  for (let next = byNumber.get(applied + 1); next; next = byNumber.get(next.number + 1)) whole.push(next);
  const end = applied + whole.length;
  // Nothing may be missing that was on the disk when what follows it was written.
  if (end < synced) throw unusable(path, `step ${end + 1} is damaged or missing, though it had been written`);
  return whole;
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
