import { failureEntry, type Log } from '../../runtime/log/log.ts';

interface Asking<Row> {
  /** Requests whose cost is not known. */
  readonly open: () => Promise<readonly Row[]>;
  readonly lookUp: (row: Row) => Promise<void>;
  readonly log: Log;
}

/** Looks up the cost of each such request, not twice at a time; resolves when all of them were. Never throws. */
export function lookUpUnsettled<Row extends { readonly id: string }>({ open, lookUp, log }: Asking<Row>) {
  const asking = new Map<string, Promise<void>>();
  function ask(row: Row): Promise<void> {
    const asked = asking.get(row.id) ?? lookUp(row).finally(() => asking.delete(row.id));
    asking.set(row.id, asked);
    return asked;
  }
  return async function askAgain(): Promise<void> {
    try {
      await Promise.all((await open()).map(ask));
    } catch (error) {
      log({ event: 'cost_lookup_failed', ...failureEntry(error) });
    }
  };
}
