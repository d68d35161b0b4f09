import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { encodeFrame, lastFrameNumber, type ScannedFile, scanFrames } from './log-frames.ts';
import { WriteAheadLogFault } from './write-ahead-log-fault.ts';

/**
 * When the active file reaches this size, the log switches to the other one; the first may be overwritten once the database has
 * its events. The size is large because a checkpoint is expensive for the disk.
 */
const fileBytes = 32 * 1024 * 1024;
/**
 * A file grows by this many zeros at a time and keeps its size when it's overwritten: while a frame fits into space that the file
 * already has, a sync doesn't also have to write a new file size (docs/decisions/039-write-ahead-log.md).
 */
const reserveBytes = 256 * 1024;
const zeros = Buffer.alloc(reserveBytes);

/** The write-ahead log consists of two files beside the database that take turns. */
export const logPaths = (database: string): readonly string[] => [`${database}.steps-0`, `${database}.steps-1`];

/** Returns the frames of a log file; none when it doesn't exist. */
export const readLogFile = (path: string): ScannedFile => scanFrames(getBytes(path));

/**
 * Returns the number of the last event in this database's log, which another process may be writing. Null when the log is empty.
 */
export function lastInLog(database: string): number | null {
  const files = logPaths(database)
    .map(getBytes)
    .filter((bytes) => bytes.length > 0);
  return files.length === 0 ? null : Math.max(...files.map(lastFrameNumber));
}

function getBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}

export interface LogFiles {
  /** The number of the last frame. */
  readonly last: number;
  /**
   * Writes a text into the file, without syncing it, and returns its number. Throws `WriteAheadLogFault` when it couldn't be
   * written. With `late`, the frame may wait for the next one or for the sync: for events that nobody relies on before they are
   * durable.
   */
  append(text: string, late?: boolean): number;
  readonly whenDurable: GroupSync['whenDurable'];
  /** The last number in the file that isn't active but still has events; null when there is none. */
  readonly left: number | null;
  /** Allows that file to be overwritten: the database has all of its events durably. */
  release(): void;
  /** Closes the files. Removes them when the database has everything durably. */
  close(remove: boolean): void;
}

interface LogFile {
  readonly path: string;
  readonly descriptor: number;
  /** The position of the next frame. */
  size: number;
  /** The length of the file, including the zeros that reserve space. */
  reserved: number;
  last: number;
}

interface Unsynced {
  readonly file: LogFile;
  readonly position: number;
  readonly bytes: Buffer;
}

/** Opens empty log files for numbers after `start`. Everything that was in them must be in the database durably. */
export function openLogFiles(database: string, databaseId: number, start: number): LogFiles {
  const [first, second] = logPaths(database).map((path) => openEmpty(path)) as [LogFile, LogFile];
  syncFolder(database);
  let active = first;
  let last = start;
  let unsynced: Unsynced[] = [];
  let late: Buffer[] = [];
  let failed = false;

  function write({ descriptor }: LogFile, frame: Buffer, position: number): void {
    for (let done = 0; done < frame.length; )
      done += writeSync(descriptor, frame, done, frame.length - done, position + done);
  }

  /**
   * Reserves space up to `end`. Begins behind what was written, which may be beyond the reserved space if the disk was full
   * before.
   */
  function reserve(file: LogFile, end: number): void {
    file.reserved = Math.max(file.reserved, file.size);
    while (file.reserved < end) {
      try {
        write(file, zeros, file.reserved);
      } catch {
        // The frame may still fit. If not, writing it reports the error.
        return;
      }
      file.reserved += zeros.length;
    }
  }

  /** Writes the late frames, then `frame`. When it throws, nothing was written and the late frames still wait. */
  function writeOut(frame?: Buffer): void {
    const frames = frame ? [...late, frame] : late;
    const [first] = frames;
    if (!first) return;
    const bytes = frames.length === 1 ? first : Buffer.concat(frames);
    reserve(active, active.size + bytes.length);
    write(active, bytes, active.size);
    late = [];
    unsynced.push({ file: active, position: active.size, bytes });
    active.size += bytes.length;
    active.last = frame ? last + 1 : last;
  }

  /** After a failed sync nobody knows which of its pages the system still has, so everything unsynced is written again. */
  function sync(done: (error: Error | null) => void): void {
    try {
      writeOut();
      if (failed) for (const { file, bytes, position } of unsynced) write(file, bytes, position);
      failed = false;
    } catch (error) {
      failed = true;
      return void setImmediate(done, error as Error);
    }
    const covered = unsynced;
    const files = [...new Set(covered.map(({ file }) => file))];
    unsynced = [];
    const other = active === first ? second : first;
    if (active.size >= fileBytes && other.size === 0) active = other;
    syncAll(files, (error) => {
      failed ||= error !== null;
      if (error) unsynced = [...covered, ...unsynced];
      done(error);
    });
  }

  const group = createGroupSync(
    {
      sync,
      get last() {
        return last;
      },
    },
    start,
  );
  const leftFile = () => (active === first ? second : first);

  return {
    get last() {
      return last;
    },
    append(text, isLate = false) {
      const frame = encodeFrame(databaseId, last + 1, group.synced, text);
      try {
        if (isLate) late.push(frame);
        else writeOut(frame);
      } catch (error) {
        throw new WriteAheadLogFault(error);
      }
      last += 1;
      return last;
    },
    whenDurable: group.whenDurable,
    get left() {
      return leftFile().size > 0 ? leftFile().last : null;
    },
    release() {
      leftFile().size = 0;
    },
    close(remove) {
      if (!remove) writeOut();
      for (const { descriptor, path } of [first, second]) {
        if (!remove) fdatasyncSync(descriptor);
        closeSync(descriptor);
        if (remove) rmSync(path, { force: true });
      }
    },
  };
}

function syncAll([file, ...more]: readonly LogFile[], done: (error: Error | null) => void): void {
  if (!file) return void setImmediate(done, null);
  fdatasync(file.descriptor, (error) => (error || more.length === 0 ? done(error) : syncAll(more, done)));
}

function openEmpty(path: string): LogFile {
  const descriptor = openSync(path, 'a+', 0o600);
  if (fstatSync(descriptor).size > 0) {
    ftruncateSync(descriptor, 0);
    fdatasyncSync(descriptor);
  }
  closeSync(descriptor);
  return { path, descriptor: openSync(path, 'r+'), size: 0, reserved: 0, last: 0 };
}

/**
 * After a power cut, a new file can only be found if its folder was synced. Windows refuses to sync a folder, but NTFS logs
 * changes of names, which SQLite relies on there too.
 */
export function syncFolder(path: string, platform: NodeJS.Platform = process.platform): void {
  if (platform === 'win32') return;
  const folder = openSync(dirname(path), 'r');
  fsyncSync(folder);
  closeSync(folder);
}

/** If this many callers waited for the last sync, more are likely to come, so the next sync waits for them. */
const manyWaiting = 8;
/**
 * A sync costs nearly the same for one caller and for thirty. The wait is short, because sixteen callers may already be all there
 * are (decision 062).
 */
const gatherMs = 1;

interface Waiting {
  readonly number: number;
  readonly done: (fault: WriteAheadLogFault | null) => void;
}

interface SyncedFile {
  /** The number of the last frame that was written. */
  readonly last: number;
  /** Makes everything written before durable and calls back. Must not throw. */
  sync(done: (error: Error | null) => void): void;
}

interface GroupSync {
  /** Every frame up to this number is on the disk. */
  readonly synced: number;
  /** Calls back when everything up to this number is on the disk, or with the fault that prevents it. */
  whenDurable(number: number, done: Waiting['done']): void;
}

/** Runs one sync at a time. Callers that arrive while the disk is busy share the next one. */
function createGroupSync(file: SyncedFile, start: number): GroupSync {
  let synced = start;
  let waiting: Waiting[] = [];
  let busy = false;
  let lastServed = 0;

  function begin(): void {
    const upTo = file.last;
    file.sync((error) => {
      busy = false;
      if (!error) synced = upTo;
      const settled = waiting.filter(({ number }) => number <= upTo);
      waiting = waiting.filter(({ number }) => number > upTo);
      lastServed = settled.length;
      const fault = error && new WriteAheadLogFault(error);
      if (waiting.length > 0) schedule();
      for (const { done } of settled) done(fault);
    });
  }

  /** Waits until the current turn of the event loop is over, so everything that it still writes is included. */
  function schedule(): void {
    if (busy) return;
    busy = true;
    if (lastServed >= manyWaiting) setTimeout(begin, gatherMs);
    else setImmediate(begin);
  }

  return {
    get synced() {
      return synced;
    },
    whenDurable(number, done) {
      if (number <= synced) return done(null);
      waiting.push({ number, done });
      schedule();
    },
  };
}
