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

/** A file of this size is left for the other one, and written over once the database has what is in it: rarely, because a checkpoint takes the disk. */
const fileBytes = 32 * 1024 * 1024;
/**
 * A file grows by so many zeros at once, and keeps its size when it is written over: where a frame takes a place that the file has
 * already, a sync has only its bytes to bring to the disk, and not a new size of the file too (docs/decisions/039-write-ahead-log.md).
 */
const reserveBytes = 256 * 1024;
const zeros = Buffer.alloc(reserveBytes);

/** Two files beside the database that take turns. */
export const logPaths = (database: string): readonly string[] => [`${database}.steps-0`, `${database}.steps-1`];

/** What is in a journal file; nothing where there is none. */
export const readLogFile = (path: string): ScannedFile => scanFrames(getBytes(path));

/** The number of the last step in the journal of this database, which somebody may be writing; null where nothing is in it. */
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
   * Writes a text into the file, not yet onto the disk, and returns its number. Throws `WriteAheadLogFault`: then it is not written.
   * One that nobody relies on before it is durable may be `late`: it goes with the next one, or just before the sync.
   */
  append(text: string, late?: boolean): number;
  readonly whenDurable: GroupSync['whenDurable'];
  /** The last number of a file that was left; null where none is. */
  readonly left: number | null;
  /** Lets what was left be written over, because the database has all of it for good. */
  release(): void;
  /** Closes the files, and removes them where the database has everything for good. */
  close(remove: boolean): void;
}

interface LogFile {
  readonly path: string;
  readonly descriptor: number;
  /** Where the next frame goes. */
  size: number;
  /** How long the file is, with what it has room for. */
  reserved: number;
  last: number;
}

interface Unsynced {
  readonly file: LogFile;
  readonly at: number;
  readonly bytes: Buffer;
}

/** Opens empty files for the numbers after `start`. What was in them before must be in the database for good. */
export function openLogFiles(database: string, databaseId: number, start: number): LogFiles {
  const [first, second] = logPaths(database).map((path) => emptied(path)) as [LogFile, LogFile];
  syncFolder(database);
  let active = first;
  let last = start;
  let unsynced: Unsynced[] = [];
  let late: Buffer[] = [];
  let failed = false;

  function write({ descriptor }: LogFile, frame: Buffer, at: number): void {
    for (let done = 0; done < frame.length; )
      done += writeSync(descriptor, frame, done, frame.length - done, at + done);
  }

  /** Room for what ends there. Never over what was written where there was no room once. */
  function reserve(file: LogFile, end: number): void {
    file.reserved = Math.max(file.reserved, file.size);
    while (file.reserved < end) {
      try {
        write(file, zeros, file.reserved);
      } catch {
        // There may be room for the frame still; where there is none, its own write says so.
        return;
      }
      file.reserved += zeros.length;
    }
  }

  /** Writes what waits, and a frame after it. Throws where nothing of it was written: then all of it still waits. */
  function writeOut(frame?: Buffer): void {
    const frames = frame ? [...late, frame] : late;
    const [first] = frames;
    if (!first) return;
    const bytes = frames.length === 1 ? first : Buffer.concat(frames);
    reserve(active, active.size + bytes.length);
    write(active, bytes, active.size);
    late = [];
    unsynced.push({ file: active, at: active.size, bytes });
    active.size += bytes.length;
    active.last = frame ? last + 1 : last;
  }

  /** After a sync that failed nobody knows what the system still has of it: all of that is written again. */
  function sync(done: (error: Error | null) => void): void {
    try {
      writeOut();
      if (failed) for (const { file, bytes, at } of unsynced) write(file, bytes, at);
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

function emptied(path: string): LogFile {
  const descriptor = openSync(path, 'a+', 0o600);
  if (fstatSync(descriptor).size > 0) {
    ftruncateSync(descriptor, 0);
    fdatasyncSync(descriptor);
  }
  closeSync(descriptor);
  return { path, descriptor: openSync(path, 'r+'), size: 0, reserved: 0, last: 0 };
}

/**
 * A file with a new name is only found by it after a power cut if its folder was synced. Windows refuses to sync a folder, and NTFS keeps
 * a journal of names itself, as SQLite relies on there too.
 */
export function syncFolder(path: string, platform: NodeJS.Platform = process.platform): void {
  if (platform === 'win32') return;
  const folder = openSync(dirname(path), 'r');
  fsyncSync(folder);
  closeSync(folder);
}

/** Where so many waited for the sync before, more are about to come: the next one waits for them. */
const crowd = 8;
/** A sync costs nearly the same for one and for thirty; but sixteen callers may all be those who wait (decision 062). */
const gatherMs = 1;

interface Waiting {
  readonly number: number;
  readonly done: (fault: WriteAheadLogFault | null) => void;
}

interface SyncedFile {
  /** The number of the last frame that was written. */
  readonly last: number;
  /** Makes all that was written before durable, and calls back; may not throw. */
  sync(done: (error: Error | null) => void): void;
}

interface GroupSync {
  /** Up to here all is on the disk. */
  readonly synced: number;
  /** Calls back when everything up to this number is on the disk, or could not be brought there. */
  whenDurable(number: number, done: Waiting['done']): void;
}

/** One sync at a time: whoever comes while the disk is at work is in the next one. */
function createGroupSync(file: SyncedFile, start: number): GroupSync {
  let synced = start;
  let waiting: Waiting[] = [];
  let busy = false;
  let served = 0;

  function begin(): void {
    const upTo = file.last;
    file.sync((error) => {
      busy = false;
      if (!error) synced = upTo;
      const settled = waiting.filter(({ number }) => number <= upTo);
      waiting = waiting.filter(({ number }) => number > upTo);
      served = settled.length;
      const fault = error && new WriteAheadLogFault(error);
      if (waiting.length > 0) schedule();
      for (const { done } of settled) done(fault);
    });
  }

  /** Not before this turn of the event loop is over: what it still brings is in. */
  function schedule(): void {
    if (busy) return;
    busy = true;
    if (served >= crowd) setTimeout(begin, gatherMs);
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
