import type { Running } from '../runtime/concurrency/running.ts';

/** Answers that are read on without their clients, for the count that their providers send last (docs/decisions/102). */
export interface ReadingOn {
  /** Takes a place. Null where there is none; else what gives it back. `stop` is called when the time is up. */
  begin(accountId: string, stop: () => void): (() => void) | null;
}

export interface ReadingOnDeps {
  /** How long one is read on, in milliseconds. */
  readonly withinMs: number;
  readonly running: Pick<Running, 'draining' | 'whenDraining'>;
}

/** No limit of an account counts them any more, and each keeps a connection and its request in memory. */
const maxAtOnce = { all: 200, account: 20 };

export function createReadingOn({ withinMs, running }: ReadingOnDeps): ReadingOn {
  const open = new Map<string, number>();
  let all = 0;
  return {
    begin(accountId, stop) {
      const own = open.get(accountId) ?? 0;
      if (running.draining || all >= maxAtOnce.all || own >= maxAtOnce.account) return null;
      all += 1;
      open.set(accountId, own + 1);
      const timer = setTimeout(stop, withinMs);
      const unlink = running.whenDraining(stop);
      return () => {
        clearTimeout(timer);
        unlink();
        all -= 1;
        const left = (open.get(accountId) ?? 1) - 1;
        if (left > 0) open.set(accountId, left);
        else open.delete(accountId);
      };
    },
  };
}
