import { JournalFault } from './journal-fault.ts';

/** Where so many waited for the sync before, more are about to come: the next one waits for them. */
const crowd = 8;
/** A sync costs nearly the same for one and for thirty. */
const gatherMs = 3;

interface Waiting {
  readonly number: number;
  readonly done: (fault: JournalFault | null) => void;
}

export interface SyncedFile {
  /** The number of the last frame that was written. */
  readonly last: number;
  /** Makes all that was written before durable, and calls back; may not throw. */
  sync(done: (error: Error | null) => void): void;
}

export interface GroupSync {
  /** Up to here all is on the disk. */
  readonly synced: number;
  /** Calls back when everything up to this number is on the disk, or could not be brought there. */
  whenDurable(number: number, done: Waiting['done']): void;
}

/** One sync at a time: whoever comes while the disk is at work is in the next one. */
export function createGroupSync(file: SyncedFile, start: number): GroupSync {
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
      const fault = error && new JournalFault(error);
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
