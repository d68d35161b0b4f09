import type { BooksConnection } from '../../db/sqlite.ts';
import { BooksDraft } from '../books-changes.ts';
import type { BooksView, RequestState } from '../books-state.ts';
import { type DecidedStep, redoStep } from '../redo-steps.ts';
import { booksOn } from './sqlite-changes.ts';

/** Brings decided steps into the database, in their order. */
export interface BooksFill {
  /** How many steps the database lacks. */
  readonly waiting: number;
  /** The number of the last step that it has. */
  readonly applied: number;
  /** A step that was decided, by its number in the journal. */
  add(step: DecidedStep, number: number): void;
  /** Writes at most this many in one transaction. Returns the requests that ended by it; throws where nothing was written. */
  next(most: number): readonly string[];
  /** Whether another connection has changed the database since it was last asked to have been seen. */
  changedElsewhere(): boolean;
  seenElsewhere(): void;
}

interface Numbered {
  readonly step: DecidedStep;
  readonly number: number;
}

export function createBooksFill(connection: BooksConnection): BooksFill {
  const { prepare } = connection;
  const books = booksOn(connection);
  const [begin, commit, rollback] = ['begin immediate', 'commit', 'rollback'].map((text) => prepare(text));
  const setApplied = prepare('update step_journal set applied = ?');
  const version = prepare('pragma data_version');
  const readVersion = () => (version.all([])[0] as { data_version: bigint }).data_version;
  // Requests that run, as they are stored: nobody else changes them without this being told to forget.
  const running = new Map<string, RequestState>();
  const stored: BooksView = {
    account: books.account,
    key: books.key,
    request: (id) => running.get(id) ?? books.request(id),
  };
  let waiting: Numbered[] = [];
  let applied = (prepare('select applied from step_journal').all([])[0] as { applied: bigint }).applied;
  let seen = readVersion();

  function write(steps: readonly Numbered[], last: bigint) {
    const draft = new BooksDraft(stored);
    for (const { step } of steps) redoStep(step, draft);
    books.apply(draft);
    setApplied.run([last]);
    return draft.requests;
  }

  return {
    get waiting() {
      return waiting.length;
    },
    get applied() {
      return Number(applied);
    },
    add: (step, number) => void waiting.push({ step, number }),
    next(most) {
      const steps = waiting.slice(0, most);
      const last = BigInt(steps.at(-1)?.number ?? 0);
      begin?.run([]);
      let requests: ReadonlyMap<string, RequestState>;
      try {
        requests = write(steps, last);
        commit?.run([]);
      } catch (error) {
        if (connection.inTransaction) rollback?.run([]);
        throw error;
      }
      waiting = waiting.slice(steps.length);
      applied = last;
      const ended: string[] = [];
      for (const [id, request] of requests) {
        if (request.status === 'running') running.set(id, request);
        else {
          running.delete(id);
          ended.push(id);
        }
      }
      return ended;
    },
    changedElsewhere: () => readVersion() !== seen,
    seenElsewhere() {
      seen = readVersion();
    },
  };
}
