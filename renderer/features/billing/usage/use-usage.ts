import { keepPreviousData, useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { UsageGroupId, UsageGrouping, UsagePeriod } from '#shared/contract/app/usage.ts';
import type { BillingAccount } from '#shared/contract/common/fields.ts';
import { useApi, useOrpc } from '../../../api/api.ts';
import { refetchOnFocus } from '../../../api/use-core.ts';
import { saveFile } from '../../../browser/save-file.ts';

/** Usage of a period. The previous data stays while loading. */
export function useUsage(billingAccount: BillingAccount, groupBy: UsageGrouping, period: UsagePeriod) {
  return useQuery(
    useOrpc().usage.get.queryOptions({
      input: { billingAccount, groupBy, period },
      placeholderData: keepPreviousData,
      ...refetchOnFocus,
    }),
  );
}

export function useInsights(billingAccount: BillingAccount, period: UsagePeriod) {
  return useQuery(
    useOrpc().usage.insights.queryOptions({
      input: { billingAccount, period },
      placeholderData: keepPreviousData,
      ...refetchOnFocus,
    }),
  );
}

export interface Bar {
  readonly groupBy: UsageGrouping;
  readonly group: UsageGroupId | null;
  readonly period: UsagePeriod;
}

/** The requests behind a bar, page by page. */
export function useRequests(billingAccount: BillingAccount, bar: Bar) {
  return useInfiniteQuery(
    useOrpc().usage.requests.infiniteOptions({
      input: (after: string | null) => ({ billingAccount, ...bar, after }),
      initialPageParam: null,
      getNextPageParam: ({ after }) => after,
      ...refetchOnFocus,
    }),
  );
}

const types = { csv: 'text/csv;charset=utf-8', json: 'application/json' } as const;
export type LineFormat = keyof typeof types;

/** Saves every request of a period as a file. `done` counts the written ones. */
export function useExportLines(billingAccount: BillingAccount) {
  const api = useApi();
  const [done, setDone] = useState(0);
  const running = useRef(new AbortController());
  const exporting = useMutation({
    async mutationFn({ period, format }: { period: UsagePeriod; format: LineFormat }) {
      running.current = new AbortController();
      const { signal } = running.current;
      setDone(0);
      const parts: string[] = [];
      for await (const piece of await api.usage.export({ billingAccount, period, format }, { signal })) {
        parts.push(piece.text);
        setDone(piece.done);
      }
      saveFile(new Blob(parts, { type: types[format] }), `portico-usage-${period.first}-${period.last}.${format}`);
    },
  });
  return { ...exporting, done, isStopped: running.current.signal.aborted, stop: () => running.current.abort() };
}
