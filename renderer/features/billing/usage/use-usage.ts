import { keepPreviousData, useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { UsageGroupId, UsageGrouping, UsagePeriod } from '#shared/contract/app/usage.ts';
import type { Wallet } from '#shared/contract/common/fields.ts';
import { useApi, useOrpc } from '../../../api/api.ts';
import { ofTheBooks } from '../../../api/use-core.ts';
import { saveFile } from '../../../browser/save-file.ts';

/** Usage of a period; the previous data stays while loading. */
export function useUsage(wallet: Wallet, groupBy: UsageGrouping, period: UsagePeriod) {
  return useQuery(
    useOrpc().usage.get.queryOptions({
      input: { wallet, groupBy, period },
      placeholderData: keepPreviousData,
      ...ofTheBooks,
    }),
  );
}

export function useInsights(wallet: Wallet, period: UsagePeriod) {
  return useQuery(
    useOrpc().usage.insights.queryOptions({
      input: { wallet, period },
      placeholderData: keepPreviousData,
      ...ofTheBooks,
    }),
  );
}

export interface Bar {
  readonly groupBy: UsageGrouping;
  readonly group: UsageGroupId | null;
  readonly period: UsagePeriod;
}

/** The requests behind a bar, a page at a time. */
export function useRequests(wallet: Wallet, bar: Bar) {
  return useInfiniteQuery(
    useOrpc().usage.requests.infiniteOptions({
      input: (after: string | null) => ({ wallet, ...bar, after }),
      initialPageParam: null,
      getNextPageParam: ({ after }) => after,
      ...ofTheBooks,
    }),
  );
}

const types = { csv: 'text/csv;charset=utf-8', json: 'application/json' } as const;
export type LineFormat = keyof typeof types;

/** Saves every request of a period as a file. `done`: how many are written so far. */
export function useExportLines(wallet: Wallet) {
  const api = useApi();
  const [done, setDone] = useState(0);
  const running = useRef(new AbortController());
  const exporting = useMutation({
    async mutationFn({ period, format }: { period: UsagePeriod; format: LineFormat }) {
      running.current = new AbortController();
      const { signal } = running.current;
      setDone(0);
      const parts: string[] = [];
      for await (const piece of await api.usage.export({ wallet, period, format }, { signal })) {
        parts.push(piece.text);
        setDone(piece.done);
      }
      saveFile(new Blob(parts, { type: types[format] }), `portico-usage-${period.first}-${period.last}.${format}`);
    },
  });
  return { ...exporting, done, isStopped: running.current.signal.aborted, stop: () => running.current.abort() };
}
