import { failureEntry, type Log } from '../log/log.ts';

interface Asking<Row> {
  /** Whose cost is not known at this moment. */
  readonly open: () => Promise<readonly Row[]>;
  readonly lookUp: (row: Row) => Promise<void>;
  readonly log: Log;
}

/** Asks what each open request has cost; one that is being asked for is not asked for again meanwhile. Never throws. */
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
