import { failureEntry, type Log } from '../log/log.ts';

interface Asking<Row> {
  /** Requests whose cost is not known. */
  readonly open: () => Promise<readonly Row[]>;
  readonly lookUp: (row: Row) => Promise<void>;
  readonly log: Log;
}

/** Looks up the cost of each such request, not twice at a time. Never throws. */
export function lookUpUnsettled<Row extends { readonly id: string }>({ open, lookUp, log }: Asking<Row>) {
  const asking = new Set<string>();
  return async function askAgain(): Promise<void> {
    try {
      const rows = (await open()).filter(({ id }) => !asking.has(id));
      for (const { id } of rows) asking.add(id);
      await Promise.all(rows.map((row) => lookUp(row).finally(() => asking.delete(row.id))));
    } catch (error) {
      log({ event: 'cost-lookup-failed', ...failureEntry(error) });
    }
  };
}
