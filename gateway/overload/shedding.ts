import type { AppError } from '#shared/errors.ts';
import { type Overload, shedReasons } from './overload.ts';

type Entry = Readonly<Record<string, unknown>>;

export interface SheddingDeps {
  readonly overload: Overload;
  /** Counts a request that is over. */
  readonly count: (entry: Entry) => void;
  readonly log: (entry: Entry) => void;
}

/** A line of the log a second says how much was refused: a line for each would be work, and there is too much of it. */
const logEveryMs = 1_000;

/** Refuses chat requests before a gateway looks at them, and says in sum what was refused. */
export function createShedding({ overload, count, log }: SheddingDeps) {
  let timer: NodeJS.Timeout | undefined;
  let refused = 0;

  function say(): void {
    timer = undefined;
    const reasons = Object.fromEntries(shedReasons.map((reason) => [reason, overload.shed(reason)]));
    log({ event: 'overloaded', level: 'warn', refused, refused_so_far: reasons, waiting: overload.waiting });
    refused = 0;
  }

  return {
    /** Why a chat request is refused at once, or null. */
    shed(path: string, authorization: string | null): AppError | null {
      const refusal = overload.refusal(true, authorization);
      if (!refusal) return null;
      refused += 1;
      timer ??= setTimeout(say, logEveryMs).unref();
      count({ method: 'POST', route: path, status: refusal.status, code: refusal.code, duration_ms: 0 });
      return refusal;
    },
    /** Says what was not said yet. */
    close(): void {
      if (timer === undefined) return;
      clearTimeout(timer);
      say();
    },
  };
}
